import type { TextHit, VectorHit } from '../../../contract/index.ts'
import type { Candidate } from './candidate.ts'

/** A hit that also knows what describing it needs. */
export class NumberedText implements TextHit {
  readonly candidate: Candidate
  readonly score: number

  constructor(candidate: Candidate, score: number) {
    this.candidate = candidate
    this.score = score
  }

  get id(): string {
    return this.candidate.id
  }
}

/** A hit that also knows its record's number, by which it is found again at once. */
export class NumberedVector implements VectorHit {
  readonly id: string
  readonly num: number
  readonly cosine: number

  constructor(id: string, num: number, cosine: number) {
    this.id = id
    this.num = num
    this.cosine = cosine
  }
}

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

/** A hit that also knows the numbers of its record and of its scope, by which more is found of it at once. */
export class NumberedVector implements VectorHit {
  readonly id: string
  readonly num: number
  readonly scope: number
  readonly cosine: number

  constructor(id: string, num: number, scope: number, cosine: number) {
    this.id = id
    this.num = num
    this.scope = scope
    this.cosine = cosine
  }
}

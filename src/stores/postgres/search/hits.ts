import type { TextHit, VectorHit } from '../../../contract/index.ts'

/** A hit that also knows its record's number, by which it is found again at once. */
export class NumberedText implements TextHit {
  readonly id: string
  readonly num: number
  readonly score: number

  constructor(id: string, num: number, score: number) {
    this.id = id
    this.num = num
    this.score = score
  }
}

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

import type { TextHit, VectorHit } from '../../../contract/index.ts'

/** A hit that also knows the numbers of its record and of its scope, by which more is found of it at once. */
export class NumberedText implements TextHit {
  readonly id: string
  readonly num: number
  readonly scope: number
  readonly score: number

  constructor(id: string, num: number, scope: number, score: number) {
    this.id = id
    this.num = num
    this.scope = scope
    this.score = score
  }
}

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

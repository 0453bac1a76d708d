import { seen } from './patterns/index.ts'

/** What a text could be the answer to, one bit each; see `shapeOf`. Stored with the record: never renumber. */
export const SHAPE = {
  /** The text ends in a question mark. */
  question: 1,
  /** There is a question mark somewhere. */
  hasQuestionMark: 2,
  /** It names a time: a day, a month, a year, "last week". */
  time: 4,
  /** It holds a proper name. */
  name: 8,
  /** It holds a number or an amount. */
  number: 16,
  /** It names a place. */
  place: 32,
} as const

export type ShapeBit = keyof typeof SHAPE

const questionMark = /[?？؟]/u

/** The answer-shape bits of a text, to be computed once at write. Linear in its length. */
export function shapeOf(text: string): number {
  let shape = 0
  if (questionMark.test(text)) shape |= SHAPE.hasQuestionMark
  if (questionMark.test(text.trimEnd().slice(-1))) shape |= SHAPE.question
  if (seen('time', text)) shape |= SHAPE.time
  if (seen('name', text)) shape |= SHAPE.name
  if (seen('number', text)) shape |= SHAPE.number
  if (seen('place', text)) shape |= SHAPE.place
  return shape
}

/** 1 when the shape has the bit, else 0: the form in which ranking weighs it. */
export function shapeFlag(shape: number, bit: ShapeBit): 0 | 1 {
  return (shape & SHAPE[bit]) === 0 ? 0 : 1
}

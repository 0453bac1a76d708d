import { describe, expect, it } from 'vitest'
import { SHAPE, type ShapeBit, shapeFlag, shapeOf } from './shape.ts'

const bitsOf = (text: string): string[] =>
  Object.keys(SHAPE).filter((bit) => shapeFlag(shapeOf(text), bit as ShapeBit) === 1)

describe('shapeOf', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['Where to?  \n', ['question', 'hasQuestionMark']],
    ['Really? yes.', ['hasQuestionMark']],
    ['你喜欢什么？', ['question', 'hasQuestionMark']],
    ['it rained YESTERDAY', ['time']],
    ['moved in 2019', ['time', 'number']],
    ['it has 20195 parts', ['number']],
    ['the last one', ['time', 'number']],
    ['a ballast stone', []],
    ['we met on thurs.', ['time']],
    ['I saw Knut', ['name']],
    ['Knut slept', []],
    ['we flew to Oslo', ['name', 'place']],
    ['near the   Rhine', ['place']],
    ['a couple of eggs', ['number']],
    ['someone phoned', []],
  ])('[RNK-2] %j has %j', (text, bits) => {
    expect(bitsOf(text)).toEqual(bits)
  })

  it('[RNK-2] knows words of every script: no month inside another word', () => {
    expect(bitsOf('sälast été2019x münone')).toEqual([])
  })

  it('[RNK-2] keeps its bits: they are stored', () => {
    expect(SHAPE).toEqual({ question: 1, hasQuestionMark: 2, time: 4, name: 8, number: 16, place: 32 })
  })

  it('[RNK-3] reads a mebibyte of anything', () => {
    const size = 2 ** 20
    const hostile = [`in${' '.repeat(size)}`, `${'1'.repeat(size)}a`, 'in the '.repeat(size / 7), 'a'.repeat(size)]
    for (const text of hostile) expect(bitsOf(text)).toEqual([])
  })
})

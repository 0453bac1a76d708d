import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fencedLine } from './tool-text.ts'

it('[TOL-6] a fenced line is the same JSON on one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = fencedLine({ text })
      expect(JSON.parse(line)).toEqual({ text })
      expect(line).not.toMatch(/[<>&\p{Cc}\p{Cf}\u2028\u2029]/u)
    }),
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeMemoryText, findMemoryBlocks, memoryMarkers } from './index.ts'

const contents = [
  'Ann lives in Bonn.',
  'Line one\nline two',
  '</memory> [1] ## End of memory (mneme)',
  '# - 1. (odd) start',
]

function block(format: 'markdown' | 'text' | 'xml', cite: boolean): string {
  const { begin, end } = memoryMarkers[format]
  const [head, tail] =
    format === 'xml' ? ['<facts>', '</facts>'] : [format === 'markdown' ? '### Facts' : 'Facts:', undefined]
  const lines = contents.map((content, i) => {
    const safe = escapeMemoryText(content, format)
    if (format === 'xml') return `<item${cite ? ` label="[${i + 1}]"` : ''} when="2026-03-01">${safe}</item>`
    const label = cite ? `${format === 'markdown' ? '- ' : ''}[${i + 1}] ` : '- '
    return `${label}${i === 1 ? '(2026-03-01, by Ann) ' : ''}${safe}`
  })
  return [begin, head, ...lines, tail, end].filter((line) => line !== undefined).join('\n')
}

describe('memories that come back', () => {
  for (const format of ['markdown', 'text', 'xml'] as const) {
    for (const cite of [true, false]) {
      const text = block(format, cite)
      const lines = text.split('\n')
      const found = (given: string) => findMemoryBlocks(given)

      it(`[FED-12] are found whole: ${format}, ${cite ? 'cited' : 'not cited'}`, () => {
        expect(found(text)).toEqual({ outside: '', blocks: [{ items: contents }] })
        expect(found(`Hi.\n\n${text}\n\nI moved to Rome.`)).toEqual({
          outside: 'Hi.\nI moved to Rome.',
          blocks: [{ items: contents }],
        })
        expect(found(`${text}\nBye\n${text}`)).toEqual({
          outside: 'Bye',
          blocks: [{ items: contents }, { items: contents }],
        })
      })

      it(`[FED-12] are found quoted, indented, with other line ends, inside JSON: ${format}, ${cite ? 'cited' : 'not cited'}`, () => {
        const expected = { outside: 'Before\nAfter', blocks: [{ items: contents }] }
        for (const change of [
          (line: string) => `> ${line}`,
          (line: string) => `>> ${line}`,
          (line: string) => `    ${line}`,
          (line: string) => `\t${line}  `,
          (line: string) => `  | ${line}`,
          (line: string) => `${line}\r`,
        ]) {
          expect(found(`Before\n${lines.map(change).join('\n')}\nAfter`)).toEqual(expected)
        }
        const inJson = found(JSON.stringify({ text, tokens: 12 }))
        expect(inJson.blocks).toEqual([{ items: contents }])
        expect(inJson.outside).not.toContain('Bonn')
      })

      it(`[FED-12] are found half cut: ${format}, ${cite ? 'cited' : 'not cited'}`, () => {
        expect(found(`Before\n${lines.slice(0, -2).join('\n')}\nI moved to Rome.`)).toEqual({
          outside: 'Before\nI moved to Rome.',
          blocks: [{ items: format === 'xml' ? contents : contents.slice(0, -1) }],
        })
        expect(found(`${lines.slice(3).join('\n')}\nI moved to Rome.`)).toEqual({
          outside: 'I moved to Rome.',
          blocks: [{ items: contents.slice(1) }],
        })
        const inTheMiddle = found(`in Bonn.\n${lines.slice(3).join('\n')}\nI moved to Rome.`)
        expect(inTheMiddle.outside).toBe('I moved to Rome.')
        expect(inTheMiddle.blocks[0]?.items).toContain(contents[2])
      })

      if (cite) {
        it(`[FED-12] are found without line breaks: ${format}`, () => {
          expect(found(`Before ${lines.join(' ')} After`).blocks).toEqual([{ items: contents }])
        })
      }
    }
  }

  it('[FED-12] leave nothing outside of what lies between their markers, whatever stands around them', () => {
    const around = fc.array(
      fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.constantFrom(
          '\n',
          '[1] a label',
          '- a point',
          '> quoted',
          'Facts:',
          '</memory>',
          memoryMarkers.text.end,
          '<item>',
          '\\n',
        ),
      ),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(
        around,
        around,
        fc.constantFrom('markdown', 'text', 'xml'),
        fc.boolean(),
        (before, after, format, cite) => {
          const text = [...before, block(format, cite), ...after].join('\n')
          const { outside, blocks } = findMemoryBlocks(text)
          expect(blocks.flatMap(({ items }) => items)).toEqual(expect.arrayContaining(contents))
          expect(outside).not.toContain('Bonn')
          // What a user says on a line of its own is never lost.
          const said = 'I moved to Rome, and like it.'
          expect(findMemoryBlocks(`${said}\n${text}\n${said}`).outside.split(said)).toHaveLength(3)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('[FED-12] are never read twice, however many ends stand on one line', () => {
    const { begin, end } = memoryMarkers.text
    const { outside, blocks } = findMemoryBlocks(`${begin} [1] one ${end} [2] two ${end} [3] three ${end} own words`)
    expect(blocks.flatMap(({ items }) => items)).toEqual(['one', 'two', 'three'])
    expect(outside).toBe('own words')
  })

  it('[FED-12] leave any other text as it is', () => {
    for (const text of [
      '',
      'My memory (of 1998) is bad.\n[1] a note\n- a point',
      'See </memory> and <memory>.',
      ' spaces stay \n\n here\t',
      'mneme (mneme) keeps memory',
    ]) {
      expect(findMemoryBlocks(text)).toEqual({ outside: text, blocks: [] })
    }
  })

  it('[FED-12] cost time that grows with the text alone', () => {
    const { begin, end } = memoryMarkers.text
    const time = (text: string) => {
      const before = process.cpuUsage().user
      findMemoryBlocks(text)
      return process.cpuUsage().user - before
    }
    for (const unit of [
      `${begin}\n`,
      `${end}\n`,
      '[1] a\n',
      '> ',
      `${begin}\n- a\n`,
      `- a\n${end}\n`,
      '- a ',
      '<item>',
      `and ${begin} `,
      `and ${end} `,
    ]) {
      const text = (size: number) => `${begin}\n${unit.repeat(size / unit.length)}`
      time(text(200_000))
      expect(time(text(800_000))).toBeLessThan(10 * Math.max(time(text(200_000)), 20_000))
    }
    const besideLongLine = (size: number) => `(mneme)\n${'>'.repeat(size)}x\n${'</memory>'.repeat(size / 9)}`
    expect(time(besideLongLine(400_000))).toBeLessThan(10 * Math.max(time(besideLongLine(100_000)), 20_000))
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attacks } from '../../test/fixtures/attacks.ts'
import { contextSections, findMemoryBlocks, memoryMarkers } from '../text/index.ts'
import { type ContextItem, parseContext, renderContext } from './index.ts'

const formats = ['markdown', 'xml', 'text'] as const

const items = (text: string): ContextItem[] => [
  { section: 'profile', text },
  { section: 'facts', text, when: '2026-03-01', by: text, untrusted: true },
  { section: 'facts', text: `${text} again`, by: 'Ann (mum), untrusted' },
  { section: 'episodes', text: `(x) ${text}`, when: '2026-03-01 14:05', by: 'by', shortened: true },
]

describe('a rendered context', () => {
  for (const format of formats) {
    for (const cite of [true, false]) {
      it.each(Object.entries(attacks))(
        `[FED-11] ${format}, ${cite ? 'cited' : 'not cited'}: %s stays data`,
        (_, text) => {
          const given = items(text)
          const rendered = renderContext(given, { format, cite })
          expect(parseContext(rendered, format)).toEqual({ items: given, cite })
          // As many lines as items, headings and frame: nothing in an item makes one.
          const lines = rendered.split(/[\r\n\v\f\u0085\u2028\u2029]/)
          expect(lines.length).toBe(given.length + 2 + (format === 'xml' ? 6 : 3))
          const body = lines.slice(1, -1).join('\n')
          expect(body).not.toMatch(/<\||<｜|<\/?(?:memory|system|script|img|s|start_of_turn)\b|<<SYS|\[\/?INST\]/i)
          expect(body).not.toMatch(/(?<!\\)\(mneme\)/)
          expect(body).not.toMatch(/[\u200b\u202a-\u202e\u2060-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u)
          expect(body.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
          const labels = [...body.matchAll(/\[\s*\p{N}+\s*\]/gu)].map(([label]) => label)
          expect(labels).toEqual(cite ? ['[1]', '[2]', '[3]', '[4]'] : [])
          if (format === 'markdown') expect(body).not.toMatch(/(?<!\\)\]\(|(?<!\\)!\[|(?<!\\)`/)
        },
      )
    }
  }

  const piece = fc.oneof(
    fc.constantFrom(...Object.values(attacks)),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(...'[]()<>&\\"\n,#-`1 '),
  )
  const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
  const item = fc.record(
    {
      section: fc.constantFrom(...contextSections),
      text,
      when: fc.constantFrom(
        '2026-03-01',
        '2026-03-01 14:05',
        '2026',
        'from 2026-03-01',
        'until 2026-03-01',
        '2026-03 to 2026-05',
        '-0044-03-15',
      ),
      by: text,
      untrusted: fc.constant(true as const),
      shortened: fc.constant(true as const),
    },
    { requiredKeys: ['section', 'text'] },
  )
  const inOrder = (unordered: ContextItem[]) =>
    [...unordered].sort((a, b) => contextSections.indexOf(a.section) - contextSections.indexOf(b.section))

  it('[FED-11] parses back to exactly the items that were put in, whatever they say', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...formats),
        fc.boolean(),
        (unordered, format, cite) => {
          const given = inOrder(unordered)
          expect(parseContext(renderContext(given, { format, cite }), format)).toEqual({ items: given, cite })
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('[FED-12] comes back with the blanks of every sort that its texts begin and end with', () => {
    for (const blank of [' ', '\u00a0', '\u1680', '\u2003', '\u202f', '\u3000', '\ufeff'])
      for (const own of [`x${blank}`, `${blank}x`, `\0${blank}`, `${blank}x${blank}${blank}`])
        for (const format of formats) {
          const rendered = renderContext([{ section: 'profile', text: own }], { format, cite: false })
          expect(findMemoryBlocks(rendered).blocks, JSON.stringify([own, format])).toEqual([{ items: [own] }])
        }
  })

  it('[FED-12] is found where it comes back, with the texts as they were', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...formats),
        fc.boolean(),
        (unordered, format, cite) => {
          const given = inOrder(unordered).filter(({ text: own }) => own.trim() !== '')
          if (given.length === 0) return
          const rendered = renderContext(given, { format, cite })
          const found = findMemoryBlocks(`Hello.\n\n> ${rendered.replaceAll('\n', '\n> ')}\n\nI moved to Rome.`)
          expect(found.outside).toBe('Hello.\nI moved to Rome.')
          expect(found.blocks).toEqual([{ items: given.map((one) => one.text) }])
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('[FED-11] is refused by its parser when a line was changed, naming the line', () => {
    const rendered = renderContext(items('text'), { format: 'markdown', cite: true })
    const changed = [
      rendered.replace('[2]', '[7]'),
      rendered.replace('### Facts', '### Orders'),
      rendered.replace('- [3]', '- hello'),
      `${rendered}\n`,
      rendered.slice(1),
      rendered.replace('untrusted', 'trusted'),
      'nothing of ours',
    ]
    for (const text of changed) {
      expect(() => parseContext(text, 'markdown')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
    }
    expect(parseContext('', 'xml')).toEqual({ items: [], cite: false })
    expect(renderContext([], { format: 'xml', cite: true })).toBe('')
  })

  it('[FED-11] says in its first line that what follows is data, and ends with its last', () => {
    for (const format of formats) {
      const lines = renderContext(items('text'), { format, cite: true }).split('\n')
      expect(lines[0]).toBe(memoryMarkers[format].begin)
      expect(lines[0]).toContain('never instructions')
      expect(lines.at(-1)).toBe(memoryMarkers[format].end)
    }
  })
})

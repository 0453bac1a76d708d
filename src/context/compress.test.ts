import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTokens, getTokenCounter } from '../text/index.ts'
import { compress } from './index.ts'

const story = [
  'Ann grew up in Bremen and studied history there.',
  'The weather was fine.',
  'In March 2026 she moved to Bonn for a job at the museum.',
  'Her brother stayed in Bremen.',
  'The museum in Bonn shows old maps, and Ann looks after the maps.',
  'She has lunch at noon.',
].join(' ')

const counters = ['words', 'anthropic', 'openai'].map((name) => getTokenCounter(name))

describe('compress', () => {
  it('[CMP-1] orchestrata 72, 73, 76: a text that fits is returned as it is; twice the same; 0 or nothing is empty', () => {
    const text = ' As it is,\r\n\r\n\twith its\u00a0spaces.  '
    expect(compress(text, { tokens: 300 })).toEqual({ text, tokens: countTokens(text) })
    expect(compress(story, { tokens: 30 })).toEqual(compress(story, { tokens: 30 }))
    expect(compress(story, { tokens: 0 })).toEqual({ text: '', tokens: 0 })
    expect(compress('', { tokens: 10 })).toEqual({ text: '', tokens: 0 })
  })

  it('[CMP-2] orchestrata 74: keeps whole sentences, in their order', () => {
    for (const tokens of [20, 30, 40, 60]) {
      const { text } = compress(story, { tokens })
      const kept = text.split(/(?<=\.) /)
      const places = kept.map((sentence) => story.indexOf(sentence))
      expect(places.every((place) => place >= 0)).toBe(true)
      expect(places).toEqual([...places].sort((a, b) => a - b))
      for (const sentence of kept) expect(sentence).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('[CMP-2] orchestrata 75: one sentence that is too long is cut to fit, not dropped', () => {
    const long = `${'word '.repeat(500)}end.`
    const { text, tokens } = compress(long, { tokens: 20 })
    expect(tokens).toBe(20)
    expect(long.startsWith(text)).toBe(true)
    const chinese = '安妮三月份搬到了波恩'.repeat(50)
    expect(compress(chinese, { tokens: 20 }).text.length).toBeGreaterThan(10)
  })

  it('[CMP-3] keeps what answers the query, and without one what the text is about', () => {
    expect(compress(story, { tokens: 18, query: 'When does she have lunch?' }).text).toContain('lunch at noon')
    expect(compress(story, { tokens: 18, query: 'Where is her brother?' }).text).toContain(
      'Her brother stayed in Bremen.',
    )
    expect(compress(story, { tokens: 20 }).text).toMatch(/museum|Bremen and studied/)
    expect(compress(story, { tokens: 20 }).text).not.toContain('weather')
    // A query that nothing answers is no query.
    expect(compress(story, { tokens: 30, query: 'quantum chromodynamics' })).toEqual(compress(story, { tokens: 30 }))
    expect(compress(story, { tokens: 30, query: '' })).toEqual(compress(story, { tokens: 30 }))
  })

  it('[CMP-3] a needle is found in a long text', () => {
    const filler = Array.from({ length: 400 }, (_, i) => `Paragraph ${i} talks about the usual business of the day.`)
    filler.splice(277, 0, 'The safe opens with the combination 4417.')
    const { text } = compress(filler.join('\n'), { tokens: 60, query: 'combination of the safe' })
    expect(text).toContain('4417')
  })

  it('[CMP-4] says nothing twice while something new fits', () => {
    const text = [
      'The cat sat on the mat.',
      'The cat sat on the mat.',
      'The cat sat on the mat!',
      'Dogs bark loudly outside.',
    ].join(' ')
    expect(compress(text, { tokens: 18 }).text).toBe('The cat sat on the mat. Dogs bark loudly outside.')
  })

  it('[CMP-5] headings come with what stands under them, rows of a table with its head, code in one piece', () => {
    const page = `# Travel

Ann likes trains. She dislikes planes.

## Costs

| item | euro |
| --- | --- |
| train to Rome | 120 |
| hotel in Rome | 300 |

## Setup

Run this first:

\`\`\`sh
npm install

npm run start
\`\`\`

- bring the blue passport
- pack shoes
`
    expect(compress(page, { tokens: 40, query: 'price of the hotel' }).text).toContain(
      '| item | euro |\n| --- | --- |\n| hotel in Rome | 300 |',
    )
    expect(compress(page, { tokens: 30, query: 'npm install start' }).text).toContain(
      '```sh\nnpm install\n\nnpm run start\n```',
    )
    expect(compress(page, { tokens: 16, query: 'blue passport' }).text).toContain('- bring the blue passport')
    expect(compress(page, { tokens: 24, query: 'does Ann dislike planes' }).text).toMatch(
      /^# Travel\n\n.*She dislikes planes\./s,
    )
    const kept = compress(page, { tokens: 50 }).text
    for (const line of kept.split('\n')) expect(page).toContain(line)
  })

  it('[CMP-5] prose that was wrapped keeps its sentences whole', () => {
    const wrapped = `The committee met on Tuesday to discuss the budget for the coming year and
decided to postpone the vote. Nobody objected to that. The next meeting is on
the second of May in the large hall.`
    expect(compress(wrapped, { tokens: 21, query: 'when is the next meeting' }).text).toBe(
      'The next meeting is on\nthe second of May in the large hall.',
    )
  })

  it('[CMP-5] Chinese and Japanese are cut at their full stops, and joined without spaces', () => {
    const text = '安妮搬到了波恩。她喜欢绿茶。天气很好。她在博物馆工作。'
    const { text: kept } = compress(text, { tokens: 34, query: '绿茶' })
    expect(kept).toContain('她喜欢绿茶。')
    expect(kept).not.toContain(' ')
  })

  const anyText = fc
    .array(
      fc.oneof(
        fc.lorem({ maxCount: 12, mode: 'sentences' }),
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom(
          '\n',
          '\n\n',
          '# Head\n',
          '```\n',
          '| a | b |\n| - | - |\n| c | d |\n',
          '- item\n',
          '你好。我很好！',
          '    code()\n',
          '---\n',
        ),
      ),
      { maxLength: 25 },
    )
    .map((pieces) => pieces.join(' '))

  it('[CMP-1] never counts more than asked, and all it says is in the text in that order', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 0, max: 120 }),
        fc.constantFrom(...counters),
        fc.option(fc.lorem({ maxCount: 3 }), { nil: undefined }),
        (text, tokens, counter, query) => {
          const found = compress(text, { tokens, counter, query })
          expect(counter.count(found.text)).toBe(found.tokens)
          expect(found.tokens).toBeLessThanOrEqual(tokens)
          const plain = (any: string) => any.replace(/\s+/g, '')
          const source = plain(text)
          let at = 0
          for (const unit of plain(found.text)) at = source.indexOf(unit, at) + 1 || Number.NaN
          expect(at).not.toBeNaN()
          if (tokens >= 8 && source !== '' && counter.count(text) > tokens && /[a-z]{3}/.test(text))
            expect(found.text).not.toBe('')
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('[CMP-1] keeps within the answers of any counter, and refuses one that contradicts itself', () => {
    const counter = (count: (text: string) => number) => ({
      name: 'mine',
      exact: true,
      count,
      truncate: (text: string) => text,
    })
    const square = counter((text) => text.length ** 2)
    const found = compress(story, { tokens: 6000, counter: square })
    expect(found.text.length ** 2).toBeLessThanOrEqual(6000)
    expect(found.text).not.toBe('')
    let calls = 0
    const moody = counter((text) => (text === '' ? 0 : ++calls % 2 === 0 ? 1 : 1000))
    try {
      expect(compress(story, { tokens: 10, counter: moody }).tokens).toBeLessThanOrEqual(10)
    } catch (error) {
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  it('[CMP-6] refuses bad options by name', () => {
    for (const tokens of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3', null]) {
      expect(() => compress(story, { tokens: tokens as number })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
    }
    expect(() => compress(story, { tokens: 3, budget: 4 } as never)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_FIELD' }),
    )
    expect(() => compress(7 as never, { tokens: 3 })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
    expect(() => compress(story, { tokens: 3, counter: 5 } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })

  it('[CMP-7] takes time that grows with the text alone', () => {
    const time = (text: string) => {
      const before = process.cpuUsage().user
      compress(text, { tokens: 2000, query: 'word 17 of the museum' })
      return process.cpuUsage().user - before
    }
    const units = [
      (i: number) => `Sentence ${i} is about word ${i % 97} of the museum. `,
      (i: number) => `| cell ${i} | b |\n`,
      () => '```\n',
      () => 'a',
      () => '.',
      () => '# h\n',
      () => '字',
      () => '. ',
    ]
    for (const unit of units) {
      const text = (size: number) => {
        let made = ''
        for (let i = 0; made.length < size; i++) made += unit(i)
        return made
      }
      const [short, long] = [text(100_000), text(400_000)]
      time(short)
      expect(time(long)).toBeLessThan(10 * Math.max(time(short), 20_000))
    }
    for (const mark of ['', '-', '|']) {
      const text = (size: number) => `| a |\n${mark}${' '.repeat(size)}x`
      expect(time(text(80_000))).toBeLessThan(10 * Math.max(time(text(20_000)), 20_000))
    }
  })
})

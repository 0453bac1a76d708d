import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError } from '../../errors/index.ts'
import { checkedCounter, counterFor, countTokens, getTokenCounter, prefixWithin, wordCounter } from './index.ts'
import { openAiCounter } from './openai-counter.ts'

const openai = getTokenCounter('openai')
const counters = [
  wordCounter,
  getTokenCounter('anthropic'),
  getTokenCounter('google'),
  openai,
  checkedCounter({ name: 'characters', exact: true, count: (text: string) => text.length, truncate: () => 'nonsense' }),
  checkedCounter({
    name: 'odd',
    exact: true,
    count: (text: string) => (text.length % 7 === 3 ? 1 : text.length),
    truncate: () => '',
  }),
]

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ')

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.lorem({ maxCount: 40 }),
  fc
    .array(fc.constantFrom('👨‍👩‍👧', 'é', '\r\n', ' ', '漢字', 'ab', 'hello', '\ud800', '🇩🇪'), { maxLength: 30 })
    .map((x) => x.join('')),
)

describe('token counters', () => {
  it('[TOK-1] orchestrata 62, 63: words are 0.75 of a token, rounded up', () => {
    expect([0, 3, 75, 750].map((count) => wordCounter.count(words(count)))).toEqual([0, 4, 100, 1000])
    expect(wordCounter.count(words(100))).toBe(134)
    expect(wordCounter.count('')).toBe(0)
    expect(wordCounter.count('  ')).toBe(0)
    expect(wordCounter.exact).toBe(false)
  })

  it('[TOK-1] orchestrata 64: cuts where the words are enough', () => {
    expect(wordCounter.truncate(words(200), 100)).toBe(words(75))
    expect(wordCounter.truncate('one', 1)).toBe('')
    expect(wordCounter.truncate('one two', 2)).toBe('one')
    expect(wordCounter.truncate(words(3), 4)).toBe(words(3))
    for (const tokens of [0, -1, Number.NaN]) expect(wordCounter.truncate('one', tokens)).toBe('')
  })

  it('[TOK-2] does not take for one word what is many tokens', () => {
    const expectAtLeast = (text: string, tokens: number) =>
      expect(wordCounter.count(text)).toBeGreaterThanOrEqual(tokens)
    expectAtLeast('https://example.com/a/b-c/d_e?q=hello%20world&id=839281&ref=aBcD12#frag', 27)
    expectAtLeast('安妮三月份搬到了波恩，因为她在博物馆的新工作四月开始。她喜欢绿茶、旧地图和沿河散步。', 33)
    expectAtLeast('แอนย้ายไปบอนน์ในเดือนมีนาคมเพราะงานใหม่ของเธอที่พิพิธภัณฑ์เริ่มในเดือนเมษายน', 34)
    expectAtLeast('018f2f6e-7b1c-7cc2-9a51-0242ac120002', 24)
    expectAtLeast('const x=[{a:1,b:"c"}].map(({a})=>a??0);', 15)
    expectAtLeast('x'.repeat(100_000), 10_000)
    expectAtLeast('a\nb\n'.repeat(50), 180)
    expectAtLeast('🎉'.repeat(20), 20)
  })

  it('[TOK-3] orchestrata 67: count(truncate(text, n)) <= n, and what is cut is a beginning', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 80 }), fc.constantFrom(...counters), (text, tokens, counter) => {
        const cut = counter.truncate(text, tokens)
        expect(counter.count(cut)).toBeLessThanOrEqual(tokens)
        expect(text.startsWith(cut)).toBe(true)
        if (counter.count(text) <= tokens && counter.name !== 'odd') expect(cut).toBe(text)
      }),
      { numRuns: 1500 },
    )
  })

  it('[TOK-3] blanks that count nothing are whole, also with no budget', () => {
    const letters = (text: string) => text.trim().length
    expect(prefixWithin(' ', 0, letters)).toBe(' ')
    expect(prefixWithin(' a', 0, letters)).toBe('')
    expect(prefixWithin(' ', Number.NaN, letters)).toBe('')
  })

  it('[TOK-3] the beginning is the longest one: another word would be too much', () => {
    const text =
      'Ann moved to Bonn in March because her new job at the museum starts in April, and she likes it there. '.repeat(5)
    for (const counter of counters.slice(0, 5)) {
      for (let tokens = 1; tokens < 90; tokens += 7) {
        const cut = counter.truncate(text, tokens)
        expect(counter.count(text.slice(0, cut.length + 24))).toBeGreaterThan(tokens)
      }
    }
  })

  it('[TOK-3] cuts no character in two', () => {
    const characters = (text: string) => text.length
    const cut = (text: string, units: number) => prefixWithin(text, units, characters)
    expect(cut('a👨‍👩‍👧b', 5)).toBe('a')
    expect(cut('a👨‍👩‍👧b', 9)).toBe('a👨‍👩‍👧')
    expect(cut('😀😀', 3)).toBe('😀')
    expect(cut('ae\u0301', 2)).toBe('a')
    expect(cut('a\r\nb', 2)).toBe('a')
    expect(cut(`${'x'.repeat(300)}🇩🇪🇫🇷`, 306)).toBe(`${'x'.repeat(300)}🇩🇪`)
    // One character without end is cut: a budget is a budget.
    expect(cut(`a${'\u0301'.repeat(500)}`, 200).length).toBe(200)
  })

  it('[TOK-3] a short beginning of a long text is found without counting all of it', () => {
    let counted = 0
    const count = (text: string) => {
      counted += text.length
      return Math.ceil(text.length / 4)
    }
    expect(prefixWithin('word '.repeat(200_000), 100, count).length).toBe(399)
    expect(counted).toBeLessThan(60_000)
  })

  it('[TOK-4] orchestrata 68, 69: each provider has the counter that fits it best, by a name that says which', () => {
    const named = (provider: string) => [getTokenCounter(provider).name, getTokenCounter(provider).exact]
    expect(named('anthropic')).toEqual(['anthropic:approximate', false])
    expect(named('google')).toEqual(['google:approximate', false])
    for (const unknown of ['words', 'nobody', '', 'toString', '__proto__', 'constructor', 'hasOwnProperty']) {
      expect(named(unknown)).toEqual(['words', false])
    }
    expect(named(undefined as unknown as string)).toEqual(['words', false])
    expect(named(null as unknown as string)).toEqual(['words', false])
    expect(getTokenCounter('Anthropic').count('x'.repeat(35).concat(' '))).toBe(11)
    expect(countTokens('one two three')).toBe(4)
    expect(countTokens('one two three', 'anthropic')).toBe(4)
    expect(() => countTokens(5 as never)).toThrow(InputError)
  })

  it('[TOK-4] orchestrata 68: without its package the counter for OpenAI is the word counter', () => {
    for (const load of [
      () => {
        throw Object.assign(new Error('missing'), { code: 'MODULE_NOT_FOUND' })
      },
      () => ({}),
    ]) {
      expect(openAiCounter(load)).toBe(wordCounter)
    }
  })

  it('[TOK-5] a counter of the caller is checked, and its answers are', () => {
    const good = { name: 'mine', exact: false, count: (text: string) => text.length, truncate: (text: string) => text }
    expect(counterFor(good).name).toBe('mine')
    expect(counterFor(good).truncate('abcdef', 3)).toBe('abc')
    expect(counterFor('anthropic').name).toBe('anthropic:approximate')
    expect(counterFor(undefined)).toBe(wordCounter)
    const refused = (counter: unknown, use = (made: typeof wordCounter) => made.count('some text')) => {
      let error: unknown
      try {
        use(counterFor(counter as typeof wordCounter))
      } catch (thrown) {
        error = thrown
      }
      expect(error).toBeInstanceOf(InputError)
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'counter' } })
      expect((error as Error).message).not.toContain('some text')
    }
    for (const none of [null, 3, {}, { count: 3 }, []]) refused(none)
    const locked = () => {
      throw new Error('some text')
    }
    refused(new Proxy({}, { get: locked }))
    refused(Object.defineProperty({ ...good }, 'count', { get: locked }))
    // An unhandled rejection would fail the run.
    refused({ ...good, count: async (text: string) => (text === '' ? 0 : locked()) })
    for (const answer of [
      Number.NaN,
      -1,
      1.5,
      Number.POSITIVE_INFINITY,
      '3',
      null,
      undefined,
      3n,
      Promise.resolve(3),
    ]) {
      refused({ ...good, count: (text: string) => (text === '' ? 0 : answer) })
    }
    refused({ ...good, count: () => 1 })
    refused({
      ...good,
      count: (text: string) => {
        if (text !== '') throw new Error(`no: ${text}`)
        return 0
      },
    })
  })
})

const isInstalled = (() => {
  try {
    createRequire(import.meta.url).resolve('gpt-tokenizer/encoding/o200k_base')
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!isInstalled)('the exact counter for OpenAI, where its package is installed', () => {
  it('[TOK-6] counts as o200k_base does, names of special tokens as text', () => {
    expect([openai.name, openai.exact]).toEqual(['openai:o200k_base', true])
    expect(openai.count('')).toBe(0)
    expect(openai.count('Hello, world!')).toBe(4)
    expect(openai.count('<|endoftext|>')).toBe(7)
    expect(getTokenCounter('openai')).toBe(openai)
  })

  it('[TOK-2] the word counter never counts much less, whatever the language and the text', () => {
    const samples = [
      'Ann moved to Bonn in March because her new job at the museum starts in April.',
      'Die Donaudampfschifffahrtsgesellschaft hat gestern beschlossen, die Geschwindigkeitsbegrenzung aufzuheben.',
      "L'été dernier, nous avons déménagé à Lyon où ma sœur travaille dans une bibliothèque près de l'hôtel de ville.",
      'Вчера Анна переехала в новый дом на берегу реки, потому что её работа начинается в апреле.',
      'Η Άννα μετακόμισε στη Βόννη τον Μάρτιο επειδή η νέα της δουλειά ξεκινά τον Απρίλιο.',
      'انتقلت آن إلى بون في مارس لأن وظيفتها الجديدة في المتحف تبدأ في أبريل.',
      'אן עברה לבון במרץ כי העבודה החדשה שלה במוזיאון מתחילה באפריל.',
      'ऐन मार्च में बॉन चली गई क्योंकि संग्रहालय में उसकी नई नौकरी अप्रैल में शुरू होती है।',
      '安妮三月份搬到了波恩，因为她在博物馆的新工作四月开始。',
      'アンは3月にボンへ引っ越しました。美術館での新しい仕事が4月に始まるからです。',
      '앤은 박물관에서의 새 일이 4월에 시작되기 때문에 3월에 본으로 이사했습니다.',
      'แอนย้ายไปบอนน์ในเดือนมีนาคมเพราะงานใหม่ของเธอที่พิพิธภัณฑ์เริ่มในเดือนเมษายน',
      'አን በመጋቢት ወር ወደ ቦን ተዛወረች ምክንያቱም አዲሱ ሥራዋ በሚያዝያ ይጀምራል።',
      '👨‍👩‍👧 ❤️ 🎉🎉 😀 🚀 👍🏽 🏳️‍🌈 🇩🇪',
      Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7919 + i * i * 31) % 256)).toString('base64'),
      'd41d8cd98f00b204e9800998ecf8427e5f4dcc3b5aa765d61d8327deb882cf99',
      '018f2f6e-7b1c-7cc2-9a51-0242ac120002 5e3c9d12-44ab-4d5e-8c77-9b1f3c2d1a00',
      'https://example.com/a/b-c/d_e?q=hello%20world&id=839281&ref=aBcD12#frag',
      'export const find = <T>(items: readonly T[], test: (item: T) => boolean): T | undefined => items.find(test)',
      '{"name": "mneme", "version": "0.1.0", "files": ["dist", "!dist/**/*.test.*"], "engines": {"node": ">=20.19"}}',
      '!@#$%^&*()_+{}|:"<>?~`[];\',./',
      'a\n\n\nb\n'.repeat(20),
    ]
    for (const sample of samples) {
      const [exact, words] = [openai.count(sample), wordCounter.count(sample)]
      expect(words / exact, sample).toBeGreaterThan(0.75)
    }
  })

  it('[TOK-6] a run without end takes time that grows with it alone, and counts at most a token more a part', () => {
    const time = (text: string) => {
      const before = process.cpuUsage().user
      openai.count(text)
      return process.cpuUsage().user - before
    }
    expect(openai.count('a'.repeat(20_000))).toBeGreaterThanOrEqual(2500)
    expect(openai.count('a'.repeat(20_000))).toBeLessThan(2540)
    for (const unit of ['a', '漢', ' ', '-', '😀']) {
      time(unit.repeat(5000))
      expect(time(unit.repeat(100_000))).toBeLessThan(40 * Math.max(time(unit.repeat(5000)), 5000))
    }
  })
})

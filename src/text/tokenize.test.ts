import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxTermLength, queryTerms, termCounts, terms, words } from './index.ts'

const anyString = fc.string({ unit: 'binary', maxLength: 200 })
/** Strings that look like trouble: scripts without spaces, marks, joiners, symbols, separators, halves of surrogate pairs. */
const mixed = fc
  .array(
    fc.constantFrom(
      ..."aZ9_-'.\u0000\u00ad\u200b\u200d\u0301\u3099\u093c\u0e35\ufe0fßİΣσςéфйｶﾞ重雲訊のンー한ㅋไทยहि½²ⅷ㈠ﷺ™😊🇩🇪\ud800\udc00",
      ' ',
      'running',
      '腾讯云',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

/** Whether a document with `content` is found by every term of the query. */
function finds(query: string, content: string): boolean {
  const asked = queryTerms(query)
  const indexed = new Set(terms(content))
  return asked.length > 0 && asked.every((term) => indexed.has(term))
}

function share(query: string, content: string): string[] {
  const indexed = new Set(terms(content))
  return queryTerms(query).filter((term) => indexed.has(term))
}

describe('words of scripts with spaces', () => {
  test('[TXT-1] runs of letters and digits in order with repeats, lower case, stemmed', () => {
    expect(terms('Running, runs RUN: 2 cats & 2 dogs')).toEqual(['run', 'run', 'run', '2', 'cat', '2', 'dog'])
    expect(terms('e-mail foo@bar.com snake_case')).toEqual(['e', 'mail', 'foo', 'bar', 'com', 'snake', 'case'])
    expect(terms('A8821 gpt-4o 1,840.50')).toEqual(['a8821', 'gpt', '4o', '1', '840', '50'])
    expect(terms("Ann's don't Ann’s")).toEqual(['ann', 's', 'don', 't', 'ann', 's'])
  })

  test('[TXT-1] finds what the earlier systems must find, and not what they must not', () => {
    expect(finds('QUICK', 'the quick brown fox')).toBe(true)
    expect(finds('brown quick', 'the quick brown fox')).toBe(true)
    expect(share('qui', 'the quick brown fox')).toEqual([])
    expect(finds('foo@bar', 'e-mail foo@bar.com')).toBe(true)
    expect(finds('e-mail', 'e-mail foo@bar.com')).toBe(true)
    expect(share('email', 'e-mail foo@bar.com')).toEqual([])
    expect(finds('A8821', '会员卡号 A8821')).toBe(true)
  })

  test('[TXT-2] query text is never syntax: operators, quotes and wildcards are words or nothing', () => {
    expect(finds('NOT', 'NOT a drill')).toBe(true)
    expect(queryTerms('hello" OR "fox')).toEqual(['hello', 'or', 'fox'])
    expect(queryTerms('fox* NEAR(a, 2) content:x^2')).toEqual(['fox', 'near', 'a', '2', 'content', 'x'])
    for (const nothing of ['', ' ', '"', '%', '_', '*', "'", '()', '\u0000', '--', '\ud800']) {
      expect(queryTerms(nothing)).toEqual([])
    }
    expect(queryTerms('50% off_sale')).toEqual(['50', 'off', 'sale'])
  })

  test('[TXT-3] accents, case and compatibility forms make no difference', () => {
    const same: [string, string][] = [
      ['cafe', 'café au lait'],
      ['café', 'CAFE'],
      ['cafe\u0301', 'café'],
      ['naive', 'naïve'],
      ['Grüße', 'grusse'],
      ['grusse', 'Grüße'],
      ['Grusse', 'GRÜSSE'],
      ['STRASSE', 'Straße'],
      ['ｆｕｌｌ　ｗｉｄｔｈ１２', 'full width12'],
      ['ﬁne', 'fine'],
      ['𝐇𝐞𝐥𝐥𝐨', 'hello'],
      ['Øresund', 'oresund'],
      ['Łódź', 'lodz'],
      ['İSTANBUL', 'istanbul'],
      ['ΣΟΦΟΣ', 'σοφός'],
      ['ЁЛКА', 'елка'],
      ['مَرْحَبًا', 'مرحبا'],
      ['Ⅷ', 'viii'],
      ['м’яч', 'мʼяч'],
    ]
    for (const [query, content] of same) expect([query, finds(query, content)]).toEqual([query, true])
  })

  test('[TXT-3] other scripts keep their marks, and fractions do not become other numbers', () => {
    expect(terms('हिन्दी')).toEqual(['हिन्दी'])
    expect(share('हन्द', 'हिन्दी')).toEqual([])
    expect(terms('が')).not.toEqual(terms('か'))
    expect(terms('か\u3099')).toEqual(terms('が'))
    expect(terms('ｶﾞ')).toEqual(terms('ガ'))
    expect(terms('2½')).toEqual(['2½'])
    expect(terms('mneme™ m²')).toEqual(['mneme', 'm2'])
  })

  test('[TXT-4] Cyrillic and Greek words are whole words', () => {
    expect(terms('привет мир')).toEqual(['привет', 'мир'])
    expect(share('мост', 'привет мир')).toEqual([])
    expect(share('мост', 'кошка')).toEqual([])
    expect(share('γάτα', 'γέφυρα')).toEqual([])
    expect(finds('мир', 'Привет, МИР!')).toBe(true)
  })

  test('[TXT-7] invisible characters neither split nor change a word; control characters and broken text separate', () => {
    expect(terms('zero\u200bwidth soft\u00adhyphen')).toEqual(terms('zerowidth softhyphen'))
    expect(terms('\ufeffhello\u200f')).toEqual(['hello'])
    expect(terms('نمی\u200cخواهم')).toEqual(terms('نمیخواهم'))
    expect(terms('腾\u200b讯')).toEqual(terms('腾讯'))
    expect(terms('a\u0000b\ud800c\udc00d')).toEqual(['a', 'b', 'c', 'd'])
    expect(terms('a\u00a0b\u2028c')).toEqual(['a', 'b', 'c'])
  })

  test('[TXT-8] a very long word keeps a bounded term and is found by itself', () => {
    const long = 'k3y'.repeat(200)
    expect(terms(long)).toEqual([long.slice(0, maxTermLength)])
    expect(finds(long, `the key is ${long}.`)).toBe(true)
    const wide = `x${'𞤀'.repeat(60)}`
    expect(terms(wide)[0]!.isWellFormed()).toBe(true)
    expect(finds(wide, wide)).toBe(true)
  })

  test('[TXT-9] an emoji is a term of its own; other symbols are none', () => {
    expect(finds('🍕', 'love🍕so much')).toBe(true)
    expect(terms('❤️')).toEqual(terms('❤'))
    expect(terms('👍🏽')).toEqual(terms('👍'))
    expect(finds('🇩🇪', 'from 🇩🇪')).toBe(true)
    expect(share('🇩🇰', 'from 🇩🇪')).toEqual([])
    expect(terms('→ € © + ∑')).toEqual([])
  })
})

describe('scripts without spaces', () => {
  test('[TXT-5] every character and every pair of neighbours is a term, and glued scripts come apart', () => {
    expect(terms('腾讯云')).toEqual(['腾', '腾讯', '讯', '讯云', '云'])
    expect(terms('重跑gen-itgc后')).toEqual(['重', '重跑', '跑', 'gen', 'itgc', '后'])
    expect(terms('2024年5月')).toEqual(['2024', '年', '5', '月'])
    expect(terms('買い物')).toEqual(['買', '買い', 'い', 'い物', '物'])
    expect(terms('𠮷野')).toEqual(['𠮷', '𠮷野', '野'])
  })

  test('[TXT-6] a query finds what it is a part of', () => {
    const found: [string, string][] = [
      ['腾讯云', '用户服务器部署在腾讯云国内节点'],
      ['云', '用户服务器部署在腾讯云国内节点'],
      ['itgc', '重跑gen-itgc后'],
      ['重跑', '重跑gen-itgc后'],
      ['猫', '我有一只猫'],
      ['ひらがな', 'これはひらがなです'],
      ['ラーメン', '昨日ラーメンを食べた'],
      ['食べ', '昨日ラーメンを食べた'],
      ['서울', '저는 서울에서 살아요'],
      ['ไทย', 'ภาษาไทยง่าย'],
      ['ລາວ', 'ພາສາລາວ'],
      ['ខ្មែរ', 'ភាសាខ្មែរ'],
      ['မြန်မာ', 'ကျွန်တော်မြန်မာစကားပြောတယ်'],
    ]
    for (const [query, content] of found) expect([query, finds(query, content)]).toEqual([query, true])
  })

  test('[TXT-6] a query of two or more characters asks for pairs only', () => {
    expect(queryTerms('腾讯云')).toEqual(['腾讯', '讯云'])
    expect(queryTerms('云')).toEqual(['云'])
    expect(queryTerms('重跑gen-itgc后')).toEqual(['重跑', 'gen', 'itgc', '后'])
    expect(share('讯腾', '腾讯云')).toEqual([])
  })

  test('[TXT-6] the terms of any part of a run are among the terms of the whole', () => {
    const letter = fc.constantFrom(...'腾讯云国内節点のがひらカタナー々한국어ไทย买𠮷')
    fc.assert(
      fc.property(fc.array(letter, { minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(), (run, a, b) => {
        const from = a % run.length
        const part = run.slice(from, from + 1 + (b % (run.length - from))).join('')
        expect(finds(part, `x${run.join('')} y`)).toBe(true)
      }),
    )
  })
})

describe('any text', () => {
  test('[TXT-7] any string at all has terms without an error, and is found by its own words', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, mixed), (text) => {
        const indexed = new Set(terms(text))
        for (const term of queryTerms(text)) expect(indexed.has(term)).toBe(true)
        expect(queryTerms(text).length > 0).toBe(indexed.size > 0)
        for (const term of indexed) expect(term.isWellFormed() && term.length > 0).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('[TXT-13] repeating a text repeats its terms, and counts are sorted and sum up to them', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, mixed), (text) => {
        const once = terms(text)
        expect(terms(text)).toEqual(once)
        expect(terms(`${text} ${text}`)).toEqual([...once, ...once])
        const counts = termCounts(text)
        expect(counts.reduce((sum, [, frequency]) => sum + frequency, 0)).toBe(once.length)
        expect(counts.map(([term]) => term)).toEqual([...new Set(once)].sort())
      }),
    )
  })

  test('[TXT-14] the words of a text have the terms of the text', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, mixed), (text) => {
        expect(terms(words(text).join(' '))).toEqual(terms(text))
      }),
      { numRuns: 2000 },
    )
  })

  test('[TXT-15] a mebibyte of anything gives at most two terms a character, each of bounded length', () => {
    const size = 1 << 20
    const heavy = [
      'a',
      '9',
      '云',
      'ไ',
      '\u0301',
      'e\u0301',
      '\u3099\u302a',
      'か\u3099',
      'हि',
      'ﷺ',
      '😊',
      '\ud800',
      ' a',
      '.',
    ]
    for (const unit of heavy) {
      const text = unit.repeat(size / unit.length)
      const found = terms(text)
      expect(found.length).toBeLessThanOrEqual(2 * text.length)
      expect(found.reduce((sum, term) => Math.max(sum, term.length), 0)).toBeLessThanOrEqual(maxTermLength)
    }
  })
})

describe('words', () => {
  test('[TXT-14] are runs of letters, digits and underscores in their own case', () => {
    expect(words("It's my_key, Ann: 3.5 e-mail")).toEqual(['It', 's', 'my_key', 'Ann', '3', '5', 'e', 'mail'])
    expect(words('Über die Brücke, 用gpt后')).toEqual(['Über', 'die', 'Brücke', '用gpt后'])
    expect(words('cafe\u0301 हिन्दी \u200bhi\u200b')).toEqual(['cafe\u0301', 'हिन्दी', 'hi'])
    expect(words('ok😊!')).toEqual(['ok', '😊'])
  })
})

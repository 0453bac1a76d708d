import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJsonAnswer } from './read-json-answer.ts'

const facts = { facts: [{ content: 'She said "hi {there]"', n: -1.5e3 }] }
const json = JSON.stringify(facts)
const found = (value: unknown) => ({ ok: true, value })
const not = (reason: string) => ({ ok: false, reason })

describe('readJsonAnswer', () => {
  const readable: Record<string, [text: string, value: unknown]> = {
    'JSON alone': [json, facts],
    'a list': ['[1, 2]', [1, 2]],
    'nothing to tell': ['{ "facts": [] }', { facts: [] }],
    'an empty object': ['{ }', {}],
    'a code fence': [`\`\`\`json\n${json}\n\`\`\``, facts],
    'a fence with prose before and after it': [
      `Sure! Here {it} is:\n\`\`\`\n${json}\n\`\`\`\nHope [that] helps.`,
      facts,
    ],
    'JSON in a sentence': [`The answer is ${json}, I think.`, facts],
    'thoughts before the answer': [`<think>Maybe {"facts": []}?</think>\n${json}`, facts],
    'a byte order mark': [`\ufeff${json}`, facts],
    'the same answer twice': [`${json}\nIn a fence:\n\`\`\`\n${json}\n\`\`\``, facts],
    'quotes and backslashes in texts': ['{"a":"\\\\\\"}{"}', { a: '\\"}{' }],
    'prose with an odd quote': [`It's 5" {wide}. ${json}`, facts],
  }
  for (const [title, [text, value]] of Object.entries(readable)) {
    it(`[MOD-3] ${title} is read`, () => expect(readJsonAnswer(text)).toEqual(found(value)))
  }

  const unreadable: Record<string, [text: string, reason: string]> = {
    prose: ['I could not find any facts [sorry].', 'no JSON'],
    'a refusal': ["I'm sorry, but I can't help with that.", 'no JSON'],
    nothing: ['', 'empty'],
    blanks: [' \n\t', 'empty'],
    'only thoughts': ['<think>hm</think>\n', 'empty'],
    'thoughts that were cut off': ['<think>Maybe {"facts": []}, or', 'empty'],
    'a number': ['42', 'no JSON'],
    'a text': ['"facts"', 'no JSON'],
    'a word': ['null', 'no JSON'],
    'JSON that is cut off': [json.slice(0, -2), 'cut off'],
    'JSON that is cut off in a text': ['{"facts": [{"content": "Ann', 'cut off'],
    'JSON that is cut off after whole parts': ['[{"a": 1}, {"a": 2}, {"a":', 'cut off'],
    'JSON with a comma too many, and none of its parts': ['{"facts": [{"a": 1},]}', 'no JSON'],
    'code instead of JSON': ['{ facts: new Map() }', 'no JSON'],
    'a million characters and more': [`[${'1,'.repeat(500_000)}1]`, 'too long'],
    'two answers that differ': [`{"facts": []} would be nothing. Mine: ${json}`, 'several'],
    'an answer, and another that is cut off': [`{"facts": []}\nWait: ${json.slice(0, -2)}`, 'cut off'],
    'too many levels': [`${'[1,'.repeat(101)}1${']'.repeat(101)}`, 'too deep'],
  }
  for (const [title, [text, reason]] of Object.entries(unreadable)) {
    it(`[MOD-3] ${title}: ${reason}`, () => expect(readJsonAnswer(text)).toEqual(not(reason)))
  }

  it('[MOD-3] the value that is accepted wins, else the first, whose faults can then be told', () => {
    const text = `As in [1], an example is {"facts": "none"}. Mine: ${json}`
    const accepts = (value: unknown) => Array.isArray((value as { facts?: unknown }).facts)
    expect(readJsonAnswer(text, accepts)).toEqual(found(facts))
    expect(readJsonAnswer('[1] {"facts": 3}', accepts)).toEqual(found([1]))
  })

  it('[MOD-3] a key named __proto__ stays a key and changes no prototype', () => {
    const answer = readJsonAnswer('{"__proto__": {"admin": true}, "constructor": {"prototype": {"admin": true}}}')
    expect(answer.ok && Object.keys(answer.value as object)).toEqual(['__proto__', 'constructor'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  // The bytes of prose that can't begin JSON by themselves.
  const prose = fc.string().map((text) => text.replaceAll(/[[{]/g, '('))
  const object = fc
    .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    .map((value) => JSON.parse(JSON.stringify(value)))

  it('[MOD-3] whatever JSON is put into whatever prose is found, and no beginning of it ever is', () => {
    fc.assert(
      fc.property(
        prose,
        object,
        prose,
        fc.nat(),
        fc.integer({ min: 0, max: 2 }),
        (before, value, after, cut, indent) => {
          const text = JSON.stringify(value, null, indent)
          expect(readJsonAnswer(`${before}\n${text}\n${after}`)).toEqual(found(value))
          const beginning = text.slice(0, 1 + (cut % (text.length - 1)))
          expect(readJsonAnswer(`${before}\n${beginning}`).ok).toBe(false)
        },
      ),
    )
  })

  it('[MOD-3] any text at all is read or refused, and what is read is an object or a list', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      '{"a":',
      '1',
      'null',
      ' ',
      '\n',
      '```',
      'x',
      '{}',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          const answer = readJsonAnswer(text)
          if (answer.ok) expect(typeof answer.value).toBe('object')
          else expect(answer.reason).not.toBe('')
        },
      ),
    )
  })

  it('[MOD-3] reading is one pass: ten times the brackets are no hundred times the work', () => {
    const work = (text: string) => {
      const start = process.cpuUsage()
      for (let round = 0; round < 20; round++) readJsonAnswer(text)
      const { user, system } = process.cpuUsage(start)
      return user + system
    }
    for (const piece of ['[1]', '{{', '{"a" ', '["', '{"a":1} ', '{ "']) {
      work(piece.repeat(2_000))
      const few = work(piece.repeat(9_000))
      const many = work(piece.repeat(90_000))
      expect(many, piece).toBeLessThan(40 * Math.max(few, 2_000))
    }
  })
})

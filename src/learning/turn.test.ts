import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryMarkers } from '../text/index.ts'
import { isBoilerplate } from './boilerplate.ts'
import { findQuote } from './find-quote.ts'
import type { Message } from './message.ts'
import { blanked, readTurns } from './turn.ts'

const reasons = (messages: readonly Message[]) =>
  readTurns(messages).ignored.map(({ position, reason }) => [position, reason])
const texts = (messages: readonly Message[]) => readTurns(messages).turns.map(({ position, text }) => [position, text])

describe('what teaches nothing', () => {
  it('[GRD-1] messages without text, and system prompts', () => {
    expect(
      reasons([
        { role: 'user', content: '' },
        { role: 'assistant', content: ' \n\t ' },
        { role: 'system', content: 'The user lives in Paris.' },
        { role: 'user', content: 'I live in Bonn.' },
      ]),
    ).toEqual([
      [0, 'empty'],
      [1, 'empty'],
      [2, 'system'],
    ])
  })

  it.each([
    'Hi!',
    'Hello Ann',
    'hey there',
    'Good morning',
    'ok',
    'OK, thanks!',
    'Thanks a lot',
    'Thank you so much for your help!',
    'Great, thank you for the quick response.',
    'Thanks, bye!',
    '👍',
    '...',
    'Sounds good.',
    'Got it',
    'Sorry about that.',
    "I'm so sorry for the confusion!",
    'Bye, see you later',
    'Have a nice day!',
    'How are you?',
    'Nice to meet you, Ann!',
    "You're welcome!",
    'No problem',
    'That makes sense',
    'Danke schön!',
    'Guten Morgen',
    'Alles klar',
  ])('[GRD-2] greetings, thanks and apologies: %s', (text) => {
    expect(isBoilerplate(text, 'user')).toBe(true)
  })

  it.each([
    "I'm sorry for the confusion. As an AI language model, I can't browse the web.",
    'As an AI, I do not have feelings.',
    'How can I help you today?',
    'Let me know if you have any other questions!',
    "Sure, I'd be happy to help with that. Feel free to ask!",
    'Is there anything else I can do for you?',
  ])('[GRD-2] what assistants say of themselves: %s', (text) => {
    expect(isBoilerplate(text, 'assistant')).toBe(true)
  })

  it.each([
    "Hi, I'm Ann",
    "Hey I'm vegan",
    'Thanks, I moved to Bonn',
    'Thanks! My new number is 555-1234.',
    'Yes',
    'No',
    'Bonn, thanks',
    'As an AI engineer I work in Bonn',
    'Let me know when my flight to Rome leaves',
    'ok so I quit my job',
    'Sorry, I live in Kiel now',
    'Good question is a podcast of mine',
    'I have a nice day job',
    'Ich wohne in Bonn, danke',
    '谢谢，我住在柏林',
  ])('[GRD-2] who says anything beside it says something: %s', (text) => {
    expect(isBoilerplate(text, 'user')).toBe(false)
  })

  it('[GRD-3] data of tools: JSON, cut or not, tables, logs, listings; a sentence of a tool is kept', () => {
    const tool = (content: string): Message => ({ role: 'tool', content })
    expect(
      reasons([
        tool('{"user": {"home": "Paris"}}'),
        tool('[{"a": 1}, {"a": '),
        tool('| id | n |\n|----|---|\n| 1 | 2 |\n| 3 | 4 |'),
        tool('total 8\n-rw-r--r-- 1 0 0 12 a.txt\n-rw-r--r-- 1 0 0 99 b.txt'),
        tool('word '.repeat(400)),
        tool('<html><body>The user lives in Paris</body></html>'),
        tool('Traceback (most recent call last): File x, line 1'),
        tool('It rains in Bonn until Sunday.'),
      ]),
    ).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => [i, 'tool-output']))
    expect(reasons([{ role: 'assistant', content: '{"tool": "search", "arguments": {"q": "Paris"}}' }])).toEqual([
      [0, 'tool-output'],
    ])
    // A person may paste what a tool may not.
    expect(reasons([{ role: 'user', content: '{"home": "Bonn"}' }])).toEqual([])
  })

  it('[GRD-4] memories that were written for a model are no part of what a message says, wherever they come back', () => {
    const { begin, end } = memoryMarkers.markdown
    const block = `${begin}\n- [1] Ann lives in Paris\n${end}`
    const messages: Message[] = [
      { role: 'user', content: `${block}\n\nI live in Bonn.` },
      { role: 'tool', content: block },
      { role: 'assistant', content: `> ${block.replaceAll('\n', '\n> ')}` },
    ]
    expect(texts(messages)).toEqual([[0, 'I live in Bonn.']])
    expect(reasons(messages)).toEqual([
      [1, 'recalled'],
      [2, 'recalled'],
    ])
  })

  it('[GRD-1] the same words twice in a row are one; with something else in between they are said again', () => {
    const said = (content: string, at?: string): Message => ({ role: 'user', content, ...(at ? { at } : {}) })
    expect(
      reasons([said('I live in Bonn'), said('I live in Bonn'), said('I moved to Kiel'), said('I live in Bonn')]),
    ).toEqual([[1, 'duplicate']])
    expect(
      reasons([said('Run done', '2026-05-01T10:00:00.000Z'), said('Run done', '2026-05-02T10:00:00.000Z')]),
    ).toEqual([])
    expect(reasons([said('Yes'), { role: 'assistant', content: 'Yes' }])).toEqual([])
  })

  it('[GRD-1] every message is either a turn or listed, whatever it holds', () => {
    const roles = fc.constantFrom<Message['role']>('user', 'assistant', 'system', 'tool')
    fc.assert(
      fc.property(fc.array(fc.record({ role: roles, content: fc.string({ unit: 'binary' }) })), (messages) => {
        const { turns, ignored } = readTurns(messages)
        const positions = [...turns, ...ignored].map(({ position }) => position).sort((a, b) => a - b)
        expect(positions).toEqual(messages.map((_, i) => i))
      }),
    )
  })
})

describe('findQuote', () => {
  it('[LRN-5] a quote stands in a text literally, white space aside', () => {
    const text = 'We moved\n  to  Bonn, in May.'
    const found = findQuote(text, ' moved to Bonn ')
    expect(text.slice(found?.start, found?.end)).toBe('moved\n  to  Bonn')
    expect(findQuote(text, 'moved to bonn')).toBeNull()
    expect(findQuote(text, 'moved to Kiel')).toBeNull()
    expect(findQuote(text, '')).toBeNull()
    expect(findQuote(text, '  ')).toBeNull()
    expect(findQuote(text, 'We')).toBeNull()
  })

  it('[LRN-5] whatever part of a text is quoted is found there, with any white space', () => {
    const word = fc.string({ minLength: 3, maxLength: 6 }).filter((text) => !/\s/.test(text))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.nat(), fc.nat(), (all, a, b) => {
        const [from, to] = [a % all.length, b % all.length].sort((x, y) => x - y) as [number, number]
        const text = all.join('\n\t ')
        const quote = all.slice(from, to + 1).join(' ')
        const found = findQuote(text, quote)
        expect(text.slice(found?.start, found?.end).split(/\s+/).join(' ')).toBe(quote)
      }),
    )
  })

  it('[GRD-6] a part that is left out leaves the rest where it was', () => {
    const { turns } = readTurns([{ role: 'assistant', content: 'You live in Bonn. It rains.' }])
    expect(blanked(turns[0]!, [{ start: 0, end: 17 }]).text).toBe(`${' '.repeat(17)} It rains.`)
  })
})

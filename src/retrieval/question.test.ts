import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ActorInfo, analyse } from './question.ts'

const friends: readonly ActorInfo[] = [
  { name: 'Caroline', role: 'other' },
  { name: 'Melanie', role: 'other' },
]
const chat: readonly ActorInfo[] = [
  { name: 'me', role: 'user' },
  { name: 'Jarvis', role: 'assistant' },
]
const named = (...names: string[]): ActorInfo[] => names.map((name) => ({ name, role: 'other' }))

describe('words of a question', () => {
  it('[RNK-4] leaves out names and stop words', () => {
    const question = analyse("When did  Caroline's   sister visit?", friends)
    expect(question.text).toBe("When did  Caroline's   sister visit?")
    expect(question.stripped).toBe('When did sister visit?')
    expect(question.words).toEqual(['sister', 'visit'])
  })

  it('[RNK-4] keeps all words when none carries content', () => {
    expect(analyse('What did you do with it', []).words).toEqual(['What', 'did', 'you', 'do', 'with', 'it'])
  })

  it.each(['Caroline', 'Caroline?', "  Caroline's "])(
    '[RNK-4] keeps the query %j, which is nothing but a name',
    (query) => {
      const question = analyse(query, friends)
      expect(question.stripped).toBe(query.trim())
      expect(question.words).toContain('Caroline')
      expect(question.actorAsked).toBe('Caroline')
    },
  )

  it.each(['', '   ', '?!', '\u0000'])('[RNK-4] finds no words in %j', (query) => {
    const question = analyse(query, friends)
    expect(question.words).toEqual([])
    expect(question.actorAsked).toBeNull()
  })
})

describe('the actor asked about', () => {
  it.each<[string, string | null]>([
    ['what does caroline paint', 'Caroline'],
    ['what is Caroline’s job', 'Caroline'],
    ['what is Carolines job', 'Caroline'],
    ['Does CAROLINE like what Caroline paints', 'Caroline'],
    ['does Caroline know Melanie', null],
    ['what about carolinesque art', null],
    ['what about McCaroline', null],
    ['McCaroline knows Caroline', 'Caroline'],
    ['who paints', null],
  ])('[RNK-5] of %j is %j', (query, actor) => {
    expect(analyse(query, friends).actorAsked).toBe(actor)
  })

  it('[RNK-5] may have any name', () => {
    const names = ['a.*b', '(x', 'C++', "O'Brien", 'José', '小明', 'Dr. Who', '$', '🙂', '[', '\\d', ' ']
    for (const name of names.filter((each) => each.trim() !== '')) {
      const question = analyse(`what did ${name} bring`, named(...names))
      expect([name, question.actorAsked, question.stripped]).toEqual([name, name, 'what did bring'])
    }
    expect(analyse('aXXb d 12', named(...names)).actorAsked).toBeNull()
  })

  it('[RNK-5] is found without spaces around in scripts that write none', () => {
    expect(analyse('小明喜欢什么', named('小明', '小红'))).toMatchObject({ actorAsked: '小明', stripped: '喜欢什么' })
    expect(analyse('我喜欢Bob的书', named('Bob', 'Ann')).actorAsked).toBe('Bob')
    expect(analyse('Bobby的书', named('Bob', 'Ann')).actorAsked).toBeNull()
  })

  it('[RNK-5] is found whatever the Unicode form of its name', () => {
    const decomposed = 'Jose\u0301'
    expect(analyse('what did José say', named(decomposed)).actorAsked).toBe(decomposed)
    expect(analyse(`what did ${decomposed} say`, named('José'))).toMatchObject({
      actorAsked: 'José',
      stripped: 'what did say',
    })
  })

  it('[RNK-5] does not start inside a word', () => {
    expect(analyse('what about MaJosé', named('José', 'Ann')).actorAsked).toBeNull()
    expect(analyse('MaJosé and José', named('José', 'Ann')).stripped).toBe('MaJosé and')
  })

  it('[RNK-5] does not end before a combining mark', () => {
    expect(analyse('रामा कहाँ', named('राम', 'सीता')).actorAsked).toBeNull()
    expect(analyse('राम कहाँ', named('राम', 'सीता')).actorAsked).toBe('राम')
  })

  it('[RNK-5] has the longer of two overlapping names', () => {
    expect(analyse('what did Anna Maria cook', named('Anna', 'Anna Maria', 'Maria')).actorAsked).toBe('Anna Maria')
    expect(analyse('did Anna Maria meet Maria', named('Anna', 'Anna Maria', 'Maria')).actorAsked).toBeNull()
  })

  it('[RNK-5] is not a stop word of another case', () => {
    expect(analyse('what will happen', named('Will', 'Ann')).actorAsked).toBeNull()
    expect(analyse('what does Will like', named('Will', 'Ann')).actorAsked).toBe('Will')
  })

  it('[RNK-5] stays a topic when it could be a common noun', () => {
    expect(analyse('how many users signed up', named('user', 'bot'))).toMatchObject({
      stripped: 'how many users signed up',
      actorAsked: 'user',
    })
  })

  it('[RNK-5] is found among ten thousand', () => {
    const crowd = named(...Array.from({ length: 10_000 }, (_, i) => `person${i}`))
    expect(analyse('what does Person777 eat', crowd)).toMatchObject({
      actorAsked: 'person777',
      stripped: 'what does eat',
    })
  })

  it.each<[string, string]>([
    ['What did you suggest for dinner?', 'Jarvis'],
    ['which recipe have you given', 'Jarvis'],
    ["the list you'd recommended", 'Jarvis'],
    ['what was your advice on leeks', 'Jarvis'],
    ['am I allergic to anything', 'me'],
    ['my birthday', 'me'],
    ['what does Jarvis know', 'Jarvis'],
  ])('[RNK-6] of %j between a user and an assistant is %j', (query, actor) => {
    expect(analyse(query, chat).actorAsked).toBe(actor)
  })

  it('[RNK-6] stays open in any other company', () => {
    expect(analyse('what did you suggest', friends).actorAsked).toBeNull()
    expect(analyse('what did you suggest', [...chat, ...friends]).actorAsked).toBeNull()
    expect(analyse('what did you suggest', chat.slice(0, 1)).actorAsked).toBeNull()
    expect(analyse('what did you suggest', []).actorAsked).toBeNull()
  })
})

describe('the kind of answer wanted', () => {
  it.each<[string, { when?: boolean; howMany?: boolean; where?: boolean }]>([
    ['When did it rain?', { when: true }],
    ['What Year was that', { when: true }],
    ['whenever', {}],
    ['How many eggs', { howMany: true }],
    ['the number of cats', { howMany: true }],
    ['HOW LONG', { howMany: true }],
    ['Where and when', { where: true, when: true }],
    ['which city', { where: true }],
    ['nowhere', {}],
  ])('[RNK-7] of %j', (query, kinds) => {
    const { when, howMany, where } = analyse(query, [])
    expect({ when, howMany, where }).toEqual({ when: false, howMany: false, where: false, ...kinds })
  })
})

it('[RNK-4] reads any query with any actors', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 })
  const actors = fc.array(
    fc.record({ name: text, role: fc.constantFrom('user', 'assistant', 'other') as fc.Arbitrary<ActorInfo['role']> }),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(text, actors, (query, known) => {
      const question = analyse(query, known)
      expect(question.text).toBe(query)
      expect(question.actorAsked === null || known.some(({ name }) => name === question.actorAsked)).toBe(true)
      expect(question.stripped.length).toBeLessThanOrEqual(query.normalize('NFC').length)
    }),
  )
})

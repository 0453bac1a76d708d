import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { matchFacts } from './match-facts.ts'
import { attributeNames, attributesOf } from './rule-attributes.ts'
import { ruleSet } from './rule-set.ts'
import { runBench } from './run-bench.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function bench(text: string, ...args: string[]) {
  const path = join(folder, 'turns.jsonl')
  await writeFile(path, text)
  const written = { out: '', err: '' }
  const code = await runBench(['rules', path, ...args], {
    stdout: { write: (more) => (written.out += more) },
    stderr: { write: (more) => (written.err += more) },
    env: {},
  })
  return { code, ...written }
}

const lines = (...all: unknown[]) => all.map((line) => JSON.stringify(line)).join('\n')
const user = (...contents: string[]) => contents.map((content) => ({ role: 'user', content }))

const file = lines(
  {
    text: "I'm Ann and I live in Bonn.",
    facts: [
      { attribute: 'name', value: 'Ann' },
      { attribute: 'location', value: 'bonn' },
    ],
  },
  { id: 'trap', text: 'If I lived in Rome I would sing.', facts: [] },
  { text: 'I love jazz.', facts: [], note: 'labelled wrongly, so that there is something to report' },
  { text: 'My car is blue.', facts: [{ attribute: 'car', value: 'blue car' }] },
)

describe('mneme bench rules', () => {
  it('[BEN-19] what is learnt is compared with the labels: precision, recall, and each miss on demand', async () => {
    const { code, out } = await bench(file, '-o', 'json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      turns: 4,
      empty: 2,
      emptyWithFacts: 1,
      labels: 3,
      found: 3,
      right: 2,
      wrong: 1,
      missed: 1,
      precision: 2 / 3,
      recall: 2 / 3,
      wronglyEnded: 0,
      wronglyReplaced: 0,
      details: [
        {
          id: 'line 3',
          line: 3,
          wrong: [{ about: 'user', attribute: 'likes', value: 'jazz', effect: 'asserts' }],
          missed: [],
        },
        {
          id: 'line 4',
          line: 4,
          wrong: [],
          missed: [{ about: 'user', attribute: 'car', value: 'blue car', ended: false }],
        },
      ],
    })
    const text = await bench(file, '--details')
    expect(text.out).toContain('line 3\n  wrong   user.likes = jazz\n')
    expect(text.out).toContain('precision 0.6667, recall 0.6667')
    expect((await bench(file)).out).not.toContain('wrong   user')
  })

  it('[BEN-19] what is about others is judged where the file labels others', async () => {
    const sister = { text: 'My sister Mia lives in Leeds.', facts: [{ attribute: 'sister', value: 'Mia' }] }
    expect(JSON.parse((await bench(lines(sister), '-o', 'json')).out)).toMatchObject({
      wrong: 0,
      unjudged: 1,
      precision: 1,
    })
    expect((await bench(lines(sister))).out).toContain('1 about others, not judged')
    const brother = { text: 'x', facts: [{ about: 'Leo', attribute: 'home', value: 'Bonn' }] }
    expect(JSON.parse((await bench(lines(sister, brother), '-o', 'json')).out)).toMatchObject({ wrong: 1, unjudged: 0 })
  })

  it('[BEN-19] an end without a label of what no label says is true is counted apart', async () => {
    const before = lines({ text: 'I used to live in Berlin.', facts: [] })
    expect(JSON.parse((await bench(before, '-o', 'json')).out)).toMatchObject({
      found: 0,
      wrong: 0,
      precision: 1,
      unlabelledEnds: 1,
      wronglyEnded: 0,
    })
    expect((await bench(before)).out).toContain('1 ends of what no label says is true, not judged')
    const still = lines({ text: 'I used to live in Berlin.', facts: [{ attribute: 'home', value: 'Berlin' }] })
    expect(JSON.parse((await bench(still, '-o', 'json')).out)).toMatchObject({
      wrong: 1,
      unlabelledEnds: 0,
      wronglyEnded: 1,
    })
  })

  it('[BEN-21] a label with an attribute that is not known is compared by value alone, and the name is told', async () => {
    const own = lines(
      { text: 'I live in Bonn.', facts: [{ attribute: 'whereabouts', value: 'Bonn' }] },
      { text: 'I live in Rome.', facts: [{ attribute: 'whereabouts', value: 'Paris' }] },
      { text: 'I wear 42.', facts: [{ attribute: 'shoe size', value: '42', optional: true }] },
    )
    const { code, out } = await bench(own)
    expect(code).toBe(0)
    expect(out).toContain('2 learnt: 1 right, 1 wrong; 1 missed')
    expect(out).toContain('compared by value alone, as the attribute is not known: whereabouts, shoe size\n')
    expect(JSON.parse((await bench(own, '-o', 'json')).out)).toMatchObject({
      unknownAttributes: ['whereabouts', 'shoe size'],
    })
    expect((await bench(file)).out).not.toContain('compared by value alone')
  })

  it('[BEN-19] below a bound that was given the exit code is 1', async () => {
    const { code, err } = await bench(file, '--min-precision', '0.9', '--min-recall', '0.1')
    expect([code, err]).toEqual([1, 'precision is 0.6667, below 0.9.\n'])
  })

  it.each([
    ['{', /line 1: is no JSON/],
    ['{"text":"x","facts":[]}\n{"text":"x"}', /line 2\.facts/],
    ['{"facts":[]}', /line 1\.text/],
    ['{"text":"x","messages":[{"content":"y"}],"facts":[]}', /line 1\.text/],
    ['{"text":"x","facts":[{"attribute":"","value":"42"}]}', /line 1\.facts(?:\[0\]|\.0)\.attribute/],
    ['{"text":"x","facts":[{"attribute":"home"}]}', /line 1\.facts(?:\[0\]|\.0)\.value/],
    ['{"text":"x","facts":[{"value":"Bonn","over":true}]}', /line 1\.facts/],
    ['{"messages":[{"role":"bot","content":"y"}],"facts":[]}', /line 1\.messages/],
    ['{"text":"x","at":"2026-05-04","facts":[]}', /line 1\.at/],
    ['', /file: has no lines/],
  ])('[BEN-20] the file %j is refused with the line and the field', async (text, message) => {
    const { code, err } = await bench(text)
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
  })

  it('[BEN-20] what can not be used is refused, and --help says what can', async () => {
    expect((await bench(file, '--min-recall', '2')).code).toBe(2)
    expect((await bench(file, 'more')).code).toBe(2)
    expect((await bench(file, '--help')).out).toContain('mneme bench rules FILE')
  })

  describe('labels', () => {
    const fact = (attribute: string, value: string, more: object = {}) => ({
      content: '',
      kind: 'semantic' as const,
      subject: 'user',
      attribute,
      value,
      effect: 'asserts' as 'asserts' | 'ends',
      confidence: 1,
      evidence: [],
      ...more,
    })
    const compare = (labels: object[], ...facts: ReturnType<typeof fact>[]) => {
      const turn = ruleSet(lines({ messages: user('x'), facts: labels })).turns[0]!
      const { right, wrong, missed, wrongEnds, wrongReplacements } = matchFacts(turn, facts)
      return [right.length, wrong.length, missed.length, wrongEnds.length, wrongReplacements.length]
    }

    it.each([
      ['home', 'the Netherlands', 'home', 'Netherlands'],
      ['job', "nurse at St. Mary's", 'job', 'nurse'],
      ['lives_in', 'Bonn', 'home', 'Bonn, Germany'],
      ['Favourite Colour', 'teal', 'favorite.color', 'Teal'],
      ['hobby', 'swimming', 'likes', 'swim'],
      ['birthday', '1990-05-03', 'birthday', 'May 3rd 1990'],
      ['prefers', 'tea to coffee', 'prefers', 'tea'],
      ['children', '2 kids', 'children', 'two kids'],
      ['plan', 'flight to Rome', 'plan', 'flying to Rome'],
    ])('[BEN-21] %s = %s is matched by %s = %s', (attribute, value, found, own) => {
      expect(compare([{ attribute, value }], fact(found, own))).toEqual([1, 0, 0, 0, 0])
      expect(compare([{ value }], fact(found, own))).toEqual([1, 0, 0, 0, 0])
    })

    it.each([
      ['home', 'Bonn', 'home', 'Bonn with my husband Tom'],
      ['home', 'Bonn', 'employer', 'Bonn'],
      ['likes', 'jazz', 'dislikes', 'jazz'],
      ['home', 'Bonn', 'home', 'Rome'],
    ])('[BEN-21] %s = %s is not matched by %s = %s', (attribute, value, found, own) => {
      expect(compare([{ attribute, value }], fact(found, own))).toEqual([0, 1, 1, 0, 0])
    })

    it('[BEN-21] alternatives are right too, and what is optional counts neither way', () => {
      expect(
        compare([{ attribute: 'job', value: 'vet', alternatives: ['veterinarian'] }], fact('job', 'veterinarian')),
      ).toEqual([1, 0, 0, 0, 0])
      expect(compare([{ attribute: 'job', value: 'vet', optional: true }], fact('job', 'vet'))).toEqual([0, 0, 0, 0, 0])
      expect(compare([{ attribute: 'job', value: 'vet', optional: true }])).toEqual([0, 0, 0, 0, 0])
    })

    it('[BEN-21] what is about others is matched by their name', () => {
      const mia = fact('home', 'Leeds', { subject: 'Mia' })
      expect(compare([{ about: 'mia', attribute: 'home', value: 'Leeds' }], mia)).toEqual([1, 0, 0, 0, 0])
      expect(compare([{ about: 'sister', attribute: 'home', value: 'Leeds' }], mia, fact('sister', 'Mia'))).toEqual([
        1, 1, 0, 0, 0,
      ])
      expect(compare([{ about: 'Mia', attribute: 'home', value: 'Leeds' }], mia, fact('sister', 'Mia'))).toEqual([
        1, 0, 0, 0, 0,
      ])
      expect(compare([{ attribute: 'home', value: 'Leeds' }], mia)).toEqual([0, 1, 1, 0, 0])
    })

    it('[BEN-21] the only one who speaks is the user', () => {
      const messages = [{ role: 'user', name: 'Ann', content: 'x' }]
      const { facts } = ruleSet(
        lines({ messages, facts: ['ann', 'The user', 'me', 'Mia'].map((about) => ({ about, value: 'y' })) }),
      ).turns[0]!
      expect(facts.map(({ about }) => about)).toEqual(['user', 'user', 'user', 'Mia'])
    })

    it('[BEN-21] ends are counted apart, and facts hold that stand when all is said', () => {
      const end = fact('home', 'Bonn', { effect: 'ends', key: 'user.home' })
      const bonn = fact('home', 'Bonn', { key: 'user.home' })
      const rome = fact('home', 'Rome', { key: 'user.home' })
      expect(compare([{ attribute: 'home', value: 'Bonn', ended: true }], end)).toEqual([1, 0, 0, 0, 0])
      // Where nothing of the kind is known it ends nothing; it is wrong where a label says that it goes on, said in the line or not.
      expect(compare([], end)).toEqual([0, 0, 0, 0, 0])
      expect(compare([{ attribute: 'employer', value: 'Acme' }], end)).toEqual([0, 0, 1, 0, 0])
      expect(compare([{ attribute: 'home', value: 'Rome' }], end)).toEqual([0, 0, 1, 0, 0])
      expect(compare([], bonn, end)).toEqual([0, 0, 0, 0, 0])
      expect(compare([{ attribute: 'lives_in', value: 'bonn' }], end)).toEqual([0, 1, 1, 1, 0])
      expect(compare([{ attribute: 'home', value: 'Bonn' }], bonn, end)).toEqual([0, 1, 1, 1, 0])
      expect(compare([{ attribute: 'home', value: 'Bonn' }], bonn, end, bonn)).toEqual([1, 0, 0, 0, 0])
      expect(compare([], rome)).toEqual([0, 1, 0, 0, 1])
      // What is replaced is over, and over is what the label may say; nobody has to say it.
      expect(compare([{ attribute: 'home', value: 'Rome' }], bonn, rome)).toEqual([1, 0, 0, 0, 0])
      expect(compare([{ attribute: 'home', value: 'Rome' }], end, rome)).toEqual([1, 0, 0, 0, 0])
      expect(
        compare(
          [
            { attribute: 'home', value: 'Rome' },
            { attribute: 'home', value: 'Bonn', ended: true },
          ],
          bonn,
          rome,
        ),
      ).toEqual([2, 0, 0, 0, 0])
    })

    it('[BEN-21] every name of an attribute leads somewhere', () => {
      expect(attributeNames.filter((name) => (attributesOf(name) ?? []).length === 0)).toEqual([])
      expect(attributesOf('user.homeTown')).toEqual(attributesOf('hometown'))
      expect(attributesOf('shoe size')).toBeNull()
    })
  })
})

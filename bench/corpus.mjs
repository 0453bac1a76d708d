// Texts and questions out of the project's own prose. The same seed gives the same texts, and a longer run begins like a shorter one.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRandom } from './random.mjs'

const fewestWords = 15
const mostWords = 40
/** Share of longer lower-case words that give way to another English word, so that the vocabulary grows as it does in life. */
const swapped = 0.12
const people = 20_000

const wordsOf = (text) => text.split(/\s+/).filter(Boolean)
const isEnglish = (text) => /^[\p{Script=Latin}\p{N}\p{P}\p{S}\s]+$/u.test(text)

/** Sentences of 4 to 24 words. */
function sentencesOf(text) {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => {
      const count = wordsOf(sentence).length
      return count >= 4 && count <= 24 && isEnglish(sentence)
    })
}

/** What is left of a page without code, tables, headings and marks. */
function proseOf(markdown) {
  return markdown
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/^(?:\||#|<).*$/gm, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*_>]|^- /gm, '')
    .replaceAll(/([^\n])\n(?=[^\n])/g, '$1 ')
}

/** Names that nobody bears: two or three syllables. */
function inventedNames(count) {
  const random = createRandom(7)
  const starts =
    'An Be Ca Da El Fi Ga Ha Il Jo Ka Li Ma Ne Or Pe Ra Sa To Ul Vi Wa Ya Ze Bra Chri Dro Gle Kri Sto'.split(' ')
  const middles = 'ba do ka le mi no ra ri sa te va zo lan mer nis rod'.split(' ')
  const ends = 'n na ra ro s th la lo k den vik berg ton mar ley sen dorf wick ham'.split(' ')
  const names = new Set()
  while (names.size < count) {
    const middle = random.next() < 0.6 ? random.pick(middles) : random.pick(middles) + random.pick(middles)
    names.add(random.pick(starts) + middle + random.pick(ends))
  }
  return [...names]
}

/**
 * What texts are made of.
 * @param root the repository's folder
 */
export async function readSources(root) {
  const json = async (...path) => JSON.parse(await readFile(join(root, ...path), 'utf8'))
  const assistant = await json('bench', 'data', 'assistant-dev.json')
  const sample = await json('data', 'sample', 'conversation.json')
  const pages = ['README.md', ...(await readdir(join(root, 'docs'))).sort().map((name) => join('docs', name))]
  const prose = await Promise.all(
    pages.filter((path) => path.endsWith('.md')).map((path) => readFile(join(root, path), 'utf8')),
  )
  const turns = [...assistant.users.flatMap((user) => user.sessions), ...sample.sessions].flatMap((session) =>
    session.turns.map((turn) => turn.text),
  )
  const asked = [...assistant.users.flatMap((user) => user.questions), ...sample.questions].map((one) => one.question)
  const vocabulary = (await readFile(join(root, 'data', 'static-en-256', 'vocab.txt'), 'utf8')).split('\n')
  return {
    sentences: [...turns, ...prose.map(proseOf)].flatMap(sentencesOf),
    /** Never part of a text: held out. */
    questions: [...new Set(asked)].filter(isEnglish),
    names: inventedNames(people),
    // Commonest first; the very commonest, stop words most of them, are in the sentences already.
    words: vocabulary.filter((word) => /^[a-z]{4,}$/.test(word)).slice(200),
  }
}

/** A sentence in which names, numbers and some words are others. */
function vary(sentence, sources, random) {
  return wordsOf(sentence)
    .map((word, place) =>
      word
        // A capital inside of a sentence is a name, a place or a firm.
        .replace(/^(?=\p{Lu}\p{Ll}{2})[\p{L}-]+/u, (name) => (place === 0 ? name : sources.names[random.zipf(people)]))
        .replaceAll(/\d+/g, (digits) => String(random.below(10 ** Math.min(digits.length, 6))))
        .replace(/^[a-z]{5,}/, (plain) =>
          random.next() < swapped ? sources.words[random.zipf(sources.words.length)] : plain,
        ),
    )
    .join(' ')
}

/** Texts of 15 to 40 words, no two alike, without end. */
export function* texts(sources, seed) {
  const random = createRandom(seed)
  const seen = new Set()
  for (;;) {
    const words = []
    while (words.length < fewestWords) words.push(...wordsOf(vary(random.pick(sources.sentences), sources, random)))
    const text = words.slice(0, mostWords).join(' ')
    const mark = fingerprint(text)
    if (seen.has(mark)) continue
    seen.add(mark)
    yield text
  }
}

/** 52 bits of FNV-1a, in two halves: a million texts collide about once in ten thousand runs, and lose one text by it. */
function fingerprint(text) {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x85ebca6b)
  }
  return (high >>> 0) * 1048576 + ((low >>> 0) & 0xfffff)
}

/** The held-out questions as they stand, then with other names and numbers. */
export function questions(sources, seed, count) {
  const random = createRandom(seed)
  const all = [...sources.questions]
  for (let i = 0; all.length < count; i++)
    all.push(vary(sources.questions[i % sources.questions.length], sources, random))
  return all.slice(0, count)
}

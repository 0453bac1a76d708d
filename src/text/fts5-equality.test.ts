import { readFileSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test } from 'vitest'
import { terms } from './index.ts'

interface AssistantData {
  readonly users: readonly { readonly sessions: readonly { readonly turns: readonly { readonly text: string }[] }[] }[]
}

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

/** What FTS5 indexes for each text, in order. */
function fts5Terms(texts: readonly string[]): string[][] {
  const db = new DatabaseSync(':memory:')
  try {
    db.exec(`create virtual table t using fts5(c, tokenize = 'porter unicode61');
      create virtual table v using fts5vocab(t, 'instance'); begin`)
    const insert = db.prepare('insert into t (rowid, c) values (?, ?)')
    texts.forEach((text, i) => {
      insert.run(i + 1, text)
    })
    const found: string[][] = texts.map(() => [])
    for (const row of db.prepare('select term, doc from v order by doc, offset').all()) {
      const { term, doc } = row as { term: string; doc: number }
      found[doc - 1]!.push(term)
    }
    return found
  } finally {
    db.close()
  }
}

describe('English terms', () => {
  test('[TXT-1] equal those of FTS5 for every word of the embedding vocabulary', () => {
    const vocabulary = read('data/static-en-256/vocab.txt')
      .split('\n')
      .map((word) => word.replace(/^##/, ''))
      .filter((word) => /^[a-z0-9]+$/.test(word))
    expect(vocabulary.length).toBeGreaterThan(20_000)
    const theirs = fts5Terms(vocabulary)
    const different = vocabulary.filter((word, i) => terms(word).join() !== theirs[i]!.join())
    expect(different).toEqual([])
  })

  test('[TXT-1] equal those of FTS5 for every turn of the assistant chats written in Latin letters', () => {
    const { users } = JSON.parse(read('bench/data/assistant-dev.json')) as AssistantData
    const turns = users.flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns.map(({ text }) => text)))
    // Where mneme means to differ: ß and dotless i are folded, emoji are terms, Han is cut into pairs.
    const comparable = turns.filter((text) => !/[ßı\u{2600}-\u{27bf}\u{3000}-\u{9fff}\u{1f000}-\u{1faff}]/u.test(text))
    expect(comparable.length).toBeGreaterThan(590)
    const theirs = fts5Terms(comparable)
    const different = comparable.filter((text, i) => terms(text).join() !== theirs[i]!.join())
    expect(different).toEqual([])
  })
})

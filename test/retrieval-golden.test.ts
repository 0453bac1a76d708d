import { readFileSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { staticEn256, staticTokenTable } from '../src/embedders/index.ts'
import type { Candidate, Collection } from '../src/retrieval/candidate.ts'
import { type ActorInfo, analyse } from '../src/retrieval/question.ts'
import { rank, rankValues } from '../src/retrieval/rank.ts'
import { shapeOf } from '../src/retrieval/shape.ts'
import { type Signals, signals, signalsAt } from '../src/retrieval/signals.ts'
import { tokenMatch } from '../src/retrieval/token-match.ts'

/** The ranking against features and scores that the reference scripts wrote down, with SQLite's Porter stems. */

interface AssistantSet {
  readonly users: readonly {
    readonly id: string
    readonly sessions: readonly {
      readonly id: string
      readonly at: string
      readonly turns: readonly { readonly id: string; readonly role: string; readonly text: string }[]
    }[]
  }[]
}
type GoldenTurn = { readonly turn: string; readonly score: number; readonly prevq_f: number } & Record<string, number>
interface GoldenQuestion {
  readonly user: string
  readonly question: string
  readonly candidates: number
  readonly top: readonly GoldenTurn[]
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as T
const golden = readJson<readonly GoldenQuestion[]>('./retrieval-golden.json')
const { users } = readJson<AssistantSet>('../bench/data/assistant-dev.json')

const TOLERANCE = 1e-4
const CANDIDATES_A_SIDE = 200
const table = staticTokenTable()
const actors: readonly ActorInfo[] = [
  { name: 'User', role: 'user' },
  { name: 'Assistant', role: 'assistant' },
]
const nameInGolden: Partial<Record<keyof Signals, string>> = {
  withoutMeaning: 'fd',
  withoutPieces: 'fm',
  words: 'b',
  meaning: 'd',
  pieces: 'm',
  coverage: 'm2',
  base: 'f0',
  previous: 'fp1',
  next: 'fn1',
  secondPrevious: 'fp2',
  secondNext: 'fn2',
  previousQuestion: 'prevq_f',
  threadMean: 'tm',
  threadBest: 'tx',
  askedActor: 'am',
  askedActorBase: 'amf',
  endsInQuestion: 'isq',
  namesTime: 'rt',
  holdsName: 'cw',
  opensThread: 'first',
  whenWithTime: 'when_rt',
  howManyWithNumber: 'hm_nu',
  whereWithPlace: 'where_pl',
}
const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** `7:05 pm on 12 January, 2026`, from the local part of an ISO time. */
function spokenTime(iso: string): string {
  const [year, month, day, hour, minute] = iso.match(/\d+/g)!.map(Number) as [number, number, number, number, number]
  const clock = `${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'am' : 'pm'}`
  return `${clock} on ${day} ${monthNames[month - 1]}, ${year}`
}

function porterStems(texts: readonly string[]): readonly (readonly string[])[] {
  const database = new DatabaseSync(':memory:')
  database.exec("create virtual table t using fts5(c, tokenize='porter unicode61')")
  database.exec("create virtual table v using fts5vocab(t, 'instance')")
  const insert = database.prepare('insert into t(rowid, c) values (?, ?)')
  texts.forEach((text, i) => {
    insert.run(i + 1, text)
  })
  const stems: string[][] = texts.map(() => [])
  for (const row of database.prepare('select term, doc from v order by doc, offset').all()) {
    const { term, doc } = row as { term: string; doc: number }
    stems[doc - 1]!.push(term)
  }
  database.close()
  return stems
}

function bm25(documents: readonly (readonly string[])[], query: readonly string[]): number[] {
  const average = documents.reduce((sum, document) => sum + document.length, 0) / documents.length
  const scores = documents.map(() => 0)
  for (const term of new Set(query)) {
    const counts = documents.map((document) => document.filter((word) => word === term).length)
    const found = counts.filter((count) => count > 0).length
    const idf = Math.log(1 + (documents.length - found + 0.5) / (found + 0.5))
    counts.forEach((count, i) => {
      scores[i]! += (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * documents[i]!.length) / average))
    })
  }
  return scores
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

/** The value below which a list is cut after its best so many. */
const cut = (values: readonly number[]): number =>
  [...values].sort((a, b) => b - a)[Math.min(CANDIDATES_A_SIDE, values.length) - 1]!

function speaker(role: string): string {
  return role === 'user' ? 'User' : 'Assistant'
}

async function memoryOf(userId: string) {
  const user = users.find(({ id }) => id === userId)!
  const turns = user.sessions.flatMap((session) =>
    session.turns.map((turn, position) => ({
      ...turn,
      actor: speaker(turn.role),
      thread: session.id,
      position,
      dense: `${speaker(turn.role)}: ${turn.text}`,
      lexical: `[${spokenTime(session.at)}] ${speaker(turn.role)}: ${turn.text}`,
    })),
  )
  const tokens = turns.map((turn) => table.tokens(turn.lexical))
  const frequencies = new Map<number, number>()
  for (const token of tokens.flat()) frequencies.set(token, (frequencies.get(token) ?? 0) + 1)
  return {
    turns,
    tokens,
    stems: porterStems(turns.map((turn) => turn.lexical)),
    vectors: await staticEn256().embed(
      turns.map((turn) => turn.dense),
      { purpose: 'document' },
    ),
    tokenFrequency: (token: number) => frequencies.get(token) ?? 0,
    averageTokens: tokens.reduce((sum, set) => sum + set.length, 0) / tokens.length,
  }
}

async function search(memory: Awaited<ReturnType<typeof memoryOf>>, query: string) {
  const question = analyse(query, actors)
  const text = bm25(memory.stems, porterStems([question.words.join(' ')])[0]!)
  const [vector] = await staticEn256().embed([question.stripped], { purpose: 'query' })
  const cosines = memory.vectors.map((other) => dot(vector!, other))
  const textCut = cut(text)
  const denseCut = cut(cosines)
  const candidates: Candidate[] = memory.turns.flatMap((turn, i) => {
    const found = (text[i]! > 0 && text[i]! >= textCut) || cosines[i]! >= denseCut
    if (!found) return []
    return {
      id: turn.id,
      bm25: text[i]!,
      cosine: cosines[i]!,
      tokens: memory.tokens[i]!,
      shape: shapeOf(turn.text),
      actor: turn.actor,
      thread: turn.thread,
      position: turn.position,
      createdAt: 0,
      importance: 0.5,
      reliability: 0.5,
      keyMatch: false,
    }
  })
  const collection: Collection = {
    documents: memory.turns.length,
    vectors: memory.turns.length,
    meanCosine: cosines.reduce((sum, value) => sum + value, 0) / cosines.length,
    tokenFrequency: memory.tokenFrequency,
    averageTokens: memory.averageTokens,
    termIdfs: [],
  }
  const match = tokenMatch(table.tokens(question.words.join(' ')), candidates, collection, table)
  const measured = signals(question, candidates, collection, match)
  const order = rank(candidates, rankValues(measured))
  return { candidates, measured, order }
}

describe('ranking against the reference', () => {
  it.each(golden)('[RNK-1] ranks and measures the best turns for "$question"', async (expected) => {
    const { candidates, measured, order } = await search(await memoryOf(expected.user), expected.question)
    expect(candidates.length).toBe(expected.candidates)
    expect(order.slice(0, expected.top.length).map(({ candidate }) => candidate.id)).toEqual(
      expected.top.map(({ turn }) => turn),
    )
    const differences: string[] = []
    expected.top.forEach((turn, place) => {
      const found = signalsAt(measured, candidates.indexOf(order[place]!.candidate))
      const values: Record<string, number> = { score: order[place]!.value }
      for (const [name, value] of Object.entries(found)) values[nameInGolden[name as keyof Signals] ?? name] = value
      // The reference knows no search without vectors or token table.
      const { turn: id, ...numbers } = { ...turn, fd: 0, fm: 0 }
      expect(Object.keys(values).sort()).toEqual(Object.keys(numbers).sort())
      for (const [name, value] of Object.entries(numbers)) {
        if (!(Math.abs(values[name]! - value) <= TOLERANCE))
          differences.push(`${id} ${name}: ${values[name]}, ${value}`)
      }
    })
    expect(differences).toEqual([])
  })
})

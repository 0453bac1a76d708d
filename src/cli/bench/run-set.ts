import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MemoryEngine, openMemory, type SearchOptions } from '../../engine/index.ts'
import type { Scope } from '../../model/index.ts'
import type { BenchSet, Conversation, Question, Turn } from './bench-set.ts'
import { deepest } from './metrics.ts'

export interface RunOptions {
  /** `sqlite` writes files into a temporary folder and removes them. */
  readonly store: StoreName
  /** All conversations in one memory, each in its own scope; else a memory for each. */
  readonly together: boolean
  /** @default that of the engine */
  readonly mode?: SearchOptions['mode']
  /** Questions of each conversation. @default all */
  readonly limitQuestions?: number | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** A question with what a search found for it. */
export interface Answer {
  readonly conversation: Conversation
  readonly question: Question
  /** Ids of turns, best first. */
  readonly ranked: readonly string[]
  /** Score of the first; 0 when nothing was found. */
  readonly bestScore: number
  readonly milliseconds: number
}

export interface SetRun {
  readonly answers: readonly Answer[]
  readonly records: number
  /** Time spent in adding them. */
  readonly addMilliseconds: number
}

/** Opens a memory whose files, if any, belong into the folder. */
type Opener = (folder: string, name: string) => Promise<MemoryEngine>

const openers = {
  sqlite: async (folder, name) => openMemory({ path: join(folder, `${name}.db`), clock }),
  memory: async () => {
    const { memory } = await import('../../stores/memory/index.ts')
    return openMemory({ store: memory(), clock })
  },
} as const satisfies Record<string, Opener>

export type StoreName = keyof typeof openers
export const storeNames = Object.keys(openers) as readonly StoreName[]

// One moment for everything: how fresh a record is must not depend on how long it took to write the others.
const startedAt = Date.now()
const clock = () => startedAt

const appId = 'bench'

/** Ids repeat between conversations, and a memory has every id once. */
const recordId = (conversation: Conversation, turn: string) => `${conversation.id}/${turn}`
const turnId = (conversation: Conversation, record: string) => record.slice(conversation.id.length + 1)
const scopeOf = (conversation: Conversation): Scope => ({ appId, userId: conversation.id })

function memoryOf(conversation: Conversation, turn: Turn) {
  return {
    id: recordId(conversation, turn.id),
    kind: 'episodic',
    content: turn.content,
    source: { type: turn.role, actor: turn.actor },
    eventTime: { start: turn.at, zone: turn.zone, granularity: 'minute' as const },
  }
}

/** Remembers every turn as a record of its own (BEN-3). */
async function remember(engine: MemoryEngine, conversation: Conversation): Promise<void> {
  for (const session of new Set(conversation.turns.map((turn) => turn.session))) {
    const turns = conversation.turns.filter((turn) => turn.session === session)
    const scope = { ...scopeOf(conversation), sessionId: `session-${session}` }
    await engine.addMany(
      turns.map((turn) => memoryOf(conversation, turn)),
      { scope, dedupe: false },
    )
  }
}

async function ask(
  engine: MemoryEngine,
  conversation: Conversation,
  question: Question,
  mode: RunOptions['mode'],
): Promise<Answer> {
  const before = performance.now()
  const { results } = await engine.search(question.text, {
    scope: scopeOf(conversation),
    limit: deepest,
    touch: false,
    mode,
  })
  const milliseconds = performance.now() - before
  return {
    conversation,
    question,
    ranked: results.map(({ id }) => turnId(conversation, id)),
    bestScore: results[0]?.score ?? 0,
    milliseconds,
  }
}

/** Remembers the conversations of a set and asks their questions as they are. */
export async function runSet(set: BenchSet, options: RunOptions): Promise<SetRun> {
  const { conversations } = set
  const groups = options.together ? [conversations] : conversations.map((conversation) => [conversation])
  const answers: Answer[] = []
  let records = 0
  let addMilliseconds = 0
  let done = 0
  const folder = await mkdtemp(join(tmpdir(), 'mneme-bench-'))
  try {
    for (const [i, group] of groups.entries()) {
      await using engine = await openers[options.store](folder, `memory-${i + 1}`)
      for (const conversation of group) {
        const before = performance.now()
        await remember(engine, conversation)
        addMilliseconds += performance.now() - before
        records += conversation.turns.length
      }
      for (const conversation of group) {
        for (const question of conversation.questions.slice(0, options.limitQuestions)) {
          answers.push(await ask(engine, conversation, question, options.mode))
        }
        done += 1
        options.onProgress?.(done, conversations.length)
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return { answers, records, addMilliseconds }
}

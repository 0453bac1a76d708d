import { extractByRules, type Message, readTurns, type Turn } from '../../learning/index.ts'
import { formatInstant, type Scope } from '../../model/index.ts'
import type { LearnOptions } from '../api/learning.ts'
import type { Call } from '../verb.ts'
import { withoutRecalled } from './guard.ts'
import type { Extraction, SaidFact } from './learned.ts'

export interface ExtractOptions extends Pick<LearnOptions, 'instructions' | 'onFailure' | 'signal'> {
  readonly mode: NonNullable<LearnOptions['mode']>
}

/** What the rules find in the turns, whose positions stay those of their messages. */
function byRules({ core }: Call, messages: readonly Message[], turns: readonly Turn[]): readonly SaidFact[] {
  const texts = new Map(turns.map(({ position, text }) => [position, text]))
  const readable = messages.map((message, i): Message => ({ ...message, content: texts.get(i) ?? '' }))
  const byPosition = new Map(turns.map((turn) => [turn.position, turn]))
  return extractByRules(readable, { now: formatInstant(core.clock()) }).map((fact) => ({
    fact,
    turns: fact.evidence.flatMap(({ message }) => byPosition.get(message) ?? []),
    isInferred: false,
    by: 'rules',
  }))
}

/** What messages teach, read once: what says nothing is sorted out first, then facts are found the way that was asked for. */
export async function extract(
  call: Call,
  scope: Scope,
  messages: readonly Message[],
  { mode, signal }: ExtractOptions,
): Promise<Extraction> {
  const read = readTurns(messages)
  const { turns, ignored, degraded } = await withoutRecalled(call, scope, read.turns, signal)
  const facts = mode === 'verbatim' ? [] : byRules(call, messages, turns)
  return { turns, facts, kept: turns, ignored: [...read.ignored, ...ignored], degraded }
}

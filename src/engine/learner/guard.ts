import { blanked, type IgnoredMessage, isBoilerplate, isEcho, type Span, type Turn } from '../../learning/index.ts'
import { type Scope, withShared } from '../../model/index.ts'
import { sentences } from '../../text/index.ts'
import { contentHash } from '../analysis.ts'
import type { Degradation } from '../api/searching.ts'
import type { Call } from '../verb.ts'
import { comparedScopes } from './compare.ts'
import { nearestTo } from './nearest.ts'

/** Sentences of one call that are compared by likeness; the rest only letter by letter. */
const mostCompared = 500
/** Memories that a sentence is compared with. */
const mostAlike = 3

export interface Guarded {
  /** Without what came out of memory. */
  readonly turns: readonly Turn[]
  readonly ignored: readonly IgnoredMessage[]
  readonly degraded: readonly Degradation[]
}

interface Sentence extends Span {
  readonly turn: Turn
  readonly text: string
}

/** What a person says is never taken for an echo: said again, it confirms. */
function isGuarded({ role }: Turn): boolean {
  return role !== 'user'
}

function sentencesOf(turn: Turn): Sentence[] {
  let from = 0
  return sentences(turn.text).map((text) => {
    const start = turn.text.indexOf(text, from)
    from = start + text.length
    return { turn, text, start, end: from }
  })
}

/** Which of the texts are live memories, letter by letter. */
async function knownTexts(
  call: Call,
  scope: Scope,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const scopes = comparedScopes(call, scope)
  const claims = texts.flatMap((content) =>
    ['semantic', 'episodic'].flatMap((kind) => {
      const value = contentHash({ kind, content })
      return value === null
        ? []
        : scopes.map((scope) => ({ content, claim: { type: 'content' as const, scope, kind, value } }))
    }),
  )
  const held = await call.core.store.holders(
    claims.map(({ claim }) => claim),
    { signal },
  )
  return new Set(claims.flatMap(({ content }, i) => (held[i] ? [content] : [])))
}

/**
 * Takes out of what assistants and tools say what came out of memory, sentence by sentence: word for word (GRD-5) or in other words
 * (GRD-6), compared with all that the call can see. So what was recalled is not learnt again, however often it goes round.
 */
export async function withoutRecalled(
  call: Call,
  scope: Scope,
  turns: readonly Turn[],
  signal?: AbortSignal,
): Promise<Guarded> {
  const all = turns.filter(isGuarded).flatMap(sentencesOf)
  if (all.length === 0) return { turns, ignored: [], degraded: [] }
  const known = await knownTexts(call, scope, [...new Set(all.map(({ text }) => text))], signal)
  const compared = all.filter(({ text }) => !known.has(text)).slice(0, mostCompared)
  const { near, degraded } = await nearestTo(
    call.core,
    withShared(scope, call.access.ceiling),
    compared.map(({ text }) => text),
    { limit: mostAlike, signal },
  )
  const echoed = new Set(
    compared.filter(({ text }, i) =>
      near[i]?.some(({ stored, cosine }) => isEcho(text, stored.record.content, cosine)),
    ),
  )
  const recalled = all.filter((one) => known.has(one.text) || echoed.has(one))
  const ignored: IgnoredMessage[] = []
  const left = turns.flatMap((turn) => {
    const parts = recalled.filter((one) => one.turn === turn)
    if (parts.length === 0) return [turn]
    const rest = blanked(turn, parts)
    const { position } = turn
    // What is left may be no more than polite.
    if (isBoilerplate(rest.text, turn.role)) {
      ignored.push({ position, reason: 'recalled' })
      return []
    }
    for (const { start, end } of parts) ignored.push({ position, reason: 'recalled', span: { start, end } })
    return [rest]
  })
  return { turns: left, ignored, degraded }
}

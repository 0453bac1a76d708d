import { blanked, type IgnoredMessage, isBoilerplate, isEcho, type Span, type Turn } from '../../learning/index.ts'
import { isExpired, type Scope, withShared } from '../../model/index.ts'
import { sentences } from '../../text/index.ts'
import { contentHash } from '../analysis.ts'
import type { Degradation } from '../api/searching.ts'
import type { Call } from '../verb.ts'
import { episodeKind } from '../verbs/episodes/record.ts'
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

interface Digest {
  readonly scope: Scope
  readonly kind: string
  readonly hash: string | null
}

/** Ids of the live memories with these digests, null where there is none. */
async function holdersOf(
  { core }: Call,
  digests: readonly Digest[],
  signal?: AbortSignal,
): Promise<readonly (string | null)[]> {
  const claims = digests.map(({ scope, kind, hash }) => ({ type: 'content' as const, scope, kind, value: hash ?? '' }))
  const now = core.clock()
  const held = await core.store.holders(claims, { signal })
  return held.map((one) => (one && !isExpired(one.record, now, core.policies.lifetimes) ? one.record.id : null))
}

/** Turns that are episodes already, word for word and of the same time. */
async function keptBefore(
  call: Call,
  scope: Scope,
  turns: readonly Turn[],
  signal?: AbortSignal,
): Promise<ReadonlySet<Turn>> {
  const digests = turns.map(({ text: content, at }): Digest => {
    const when = at === undefined ? {} : { eventTime: { start: at } }
    return { scope, kind: episodeKind, hash: contentHash({ kind: episodeKind, content, ...when }) }
  })
  const ids = await holdersOf(call, digests, signal)
  return new Set(turns.filter((_, i) => ids[i] != null))
}

/** Which sentences are live memories, letter by letter. */
async function knownSentences(
  call: Call,
  scope: Scope,
  all: readonly Sentence[],
  signal?: AbortSignal,
): Promise<ReadonlySet<Sentence>> {
  const digests = all.flatMap((sentence) =>
    ['semantic', episodeKind].flatMap((kind) =>
      comparedScopes(call, scope).map((scope) => ({
        sentence,
        scope,
        kind,
        hash: contentHash({ kind, content: sentence.text }),
      })),
    ),
  )
  const ids = await holdersOf(call, digests, signal)
  return new Set(digests.flatMap(({ sentence }, i) => (ids[i] == null ? [] : [sentence])))
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
  const spoken = turns.filter(isGuarded)
  if (spoken.length === 0) return { turns, ignored: [], degraded: [] }
  // A dated turn that is there already is the same turn, learnt once more. Without a time it was said again.
  const kept = await keptBefore(call, scope, spoken, signal)
  const guarded = spoken.filter((turn) => turn.at === undefined || !kept.has(turn))
  const all = guarded.flatMap(sentencesOf)
  const known = await knownSentences(call, scope, all, signal)
  const isKnown = (one: Sentence) => known.has(one) || kept.has(one.turn)
  const compared = all.filter((one) => !isKnown(one)).slice(0, mostCompared)
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
  const recalled = all.filter((one) => isKnown(one) || echoed.has(one))
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

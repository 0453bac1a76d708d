import type { Claim, StoredRecord } from '../../contract/index.ts'
import {
  anyOf,
  enclosingScopes,
  exactly,
  isExpired,
  isJsonObject,
  type MemoryRecord,
  parseFilter,
  type Scope,
  type Status,
  scopeKey,
} from '../../model/index.ts'
import { contentHash } from '../analysis.ts'
import type { Degradation } from '../api/searching.ts'
import { listAll } from '../listing.ts'
import type { Call } from '../verb.ts'
import { factKind } from '../verbs/facts/fact.ts'
import type { SaidFact } from './learned.ts'
import { type Near, nearestTo } from './nearest.ts'

/** Episodes are looked through further than facts: most of them are turns, which nothing is compared with. */
const episodesPerSimilar = 8
const past: readonly Status[] = ['superseded', 'invalid']
const known: readonly Status[] = ['live', ...past]

/** What a fact is compared with. */
export interface Compared {
  /** Live memories: of its key, of the same content, of the same subject, then by likeness. Each once. */
  readonly known: readonly StoredRecord[]
  /** Of those that were found by likeness, how alike their vectors are. */
  readonly cosines: ReadonlyMap<string, number | null>
  /** An expired record that still holds the key, or the content: the fact takes its place. */
  readonly expired: StoredRecord | null
  /** What was known once: superseded and invalid records of its key, content or subject, in the scope itself. */
  readonly past: readonly StoredRecord[]
}

export interface CompareOptions {
  /** Most alike memories of each fact, 1 to 1000. */
  readonly similar: number
  readonly signal?: AbortSignal | undefined
}

/** Facts are compared with statements, not with turns of a conversation. */
function isStatement({ kind, data }: MemoryRecord): boolean {
  return kind !== 'episodic' || isJsonObject(data)
}

/** The scope of the call, then those that enclose it: what those know is not stored again, and never changed from here (LRN-10). */
export function comparedScopes({ access }: Call, scope: Scope): readonly Scope[] {
  return [scope, ...enclosingScopes(scope, access.ceiling)]
}

function hashOf({ kind, content, eventTime }: SaidFact['fact']): string | null {
  return contentHash({ kind, content, ...(eventTime === undefined ? {} : { eventTime }) })
}

/** Holders of keys and contents, the nearest scope first; expired ones too. */
async function holdersFor({ core }: Call, scopes: readonly Scope[], facts: readonly SaidFact[], signal?: AbortSignal) {
  const claims: Claim[][] = facts.map(({ fact }) => {
    const { key, kind } = fact
    const value = hashOf(fact)
    return scopes.flatMap((scope): Claim[] => [
      ...(key === undefined ? [] : [{ type: 'key' as const, scope, kind: factKind, value: key }]),
      ...(value === null ? [] : [{ type: 'content' as const, scope, kind, value }]),
    ])
  })
  const held = await core.store.holders(claims.flat(), { signal })
  let at = 0
  return claims.map((own) => own.map(() => held[at++] ?? null).filter((one) => one !== null))
}

/** What is said of the same subject and attribute in the scope itself: what ends must be found, however much is alike. */
async function ofSameSubject({ core }: Call, scope: Scope, { fact }: SaidFact, signal?: AbortSignal) {
  const filter = parseFilter({ 'record.data.attribute': fact.attribute })
  const query = fact.key === undefined ? { kinds: [fact.kind], filter } : { kinds: [factKind], key: fact.key }
  return listAll(core, exactly(scope), { ...query, statuses: known, signal })
}

/** What was said then and is known no longer: learning a conversation once more must not bring it back (LRN-12). */
async function saidBefore({ core }: Call, scope: Scope, { fact, turns }: SaidFact, signal?: AbortSignal) {
  if (turns[0]?.at === undefined) return []
  const { key, kind } = fact
  const hash = hashOf(fact)
  const queries = [
    ...(key === undefined ? [] : [{ kinds: [factKind], key }]),
    ...(hash === null ? [] : [{ kinds: [kind], hash }]),
  ]
  const found = await Promise.all(
    queries.map((query) => listAll(core, exactly(scope), { ...query, statuses: past, signal })),
  )
  return found.flat()
}

/** Looks up what every fact is to be compared with: one look-up of keys and contents, and one search a fact. */
export async function compareAll(
  call: Call,
  scope: Scope,
  facts: readonly SaidFact[],
  { similar, signal }: CompareOptions,
): Promise<{ readonly compared: readonly Compared[]; readonly degraded: readonly Degradation[] }> {
  if (facts.length === 0) return { compared: [], degraded: [] }
  const { core } = call
  const scopes = comparedScopes(call, scope)
  const filter = anyOf(scopes.map(exactly))
  const holders = await holdersFor(call, scopes, facts, signal)
  const near: (readonly Near[])[] = facts.map(() => [])
  const degraded: Degradation[] = []
  for (const kind of new Set(facts.map(({ fact }) => fact.kind))) {
    const of = facts.flatMap(({ fact }, i) => (fact.kind === kind ? [i] : []))
    const limit = Math.min(1000, kind === 'episodic' ? similar * episodesPerSimilar : similar)
    const texts = of.map((i) => (facts[i] as SaidFact).fact.content)
    const found = await nearestTo(core, filter, texts, { kinds: [kind], limit, signal })
    for (const [j, i] of of.entries()) {
      near[i] = (found.near[j] ?? []).filter(({ stored }) => isStatement(stored.record)).slice(0, similar)
    }
    if (degraded.length === 0) degraded.push(...found.degraded)
  }
  const related = await Promise.all(
    facts.map((fact) => (fact.fact.effect === 'ends' ? ofSameSubject : saidBefore)(call, scope, fact, signal)),
  )
  const now = core.clock()
  const isGone = ({ record }: StoredRecord) => isExpired(record, now, core.policies.lifetimes)
  const own = scopeKey(scope)
  const compared = facts.map((_, i): Compared => {
    const held = holders[i] ?? []
    const of = related[i] ?? []
    const all = [
      ...held,
      ...of.filter(({ record }) => record.status === 'live'),
      ...(near[i] ?? []).map(({ stored }) => stored),
    ]
    const byId = new Map(all.filter((one) => !isGone(one)).map((one) => [one.record.id, one]))
    const expired = held.find((one) => isGone(one) && scopeKey(one.record.scope) === own)
    return {
      known: [...byId.values()],
      cosines: new Map((near[i] ?? []).map(({ stored, cosine }) => [stored.record.id, cosine])),
      expired: expired ?? null,
      past: of.filter(({ record }) => record.status !== 'live'),
    }
  })
  return { compared, degraded }
}

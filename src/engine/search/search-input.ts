import { z } from 'zod'
import type { AsOf, StoredVector } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { type KindScoring, kindScoring } from '../../kinds/index.ts'
import {
  type FilterNode,
  type Lifetimes,
  madeOnce,
  parseFilter,
  parseVector,
  type ScopeFilter,
  type Status,
} from '../../model/index.ts'
import type { SearchMode } from '../../retrieval/index.ts'
import { readScope } from '../access.ts'
import { ownVector } from '../vectors.ts'
import {
  type Call,
  cursorField,
  kindsField,
  limitField,
  limitOf,
  optionalInstant,
  readOptions,
  statusesOf,
  statusField,
  tagsField,
  timeField,
  usualStatuses,
} from '../verb.ts'
import { asOfTime } from '../verbs/get.ts'

const weight = madeOnce(() => z.number().min(0).max(10).optional())

/** The options of a search, as a schema. */
export const searchOptions = madeOnce(() => ({
  kinds: kindsField(),
  filter: z.unknown().optional(),
  tags: tagsField(),
  status: statusField(),
  limit: limitField(),
  cursor: cursorField(),
  minScore: z.number().min(0).max(1).optional(),
  mode: z.enum(['hybrid', 'text', 'vector']).optional(),
  fusion: z.enum(['convex', 'rrf']).optional(),
  since: timeField(),
  until: timeField(),
  validAt: timeField(),
  asOf: timeField(),
  weights: z.strictObject({ recency: weight(), importance: weight(), reliability: weight() }).optional(),
  recencyHalfLifeHours: z.number().positive().optional(),
  recencyAnchor: z.enum(['createdAt', 'updatedAt', 'lastAccessedAt']).optional(),
  diversity: z.number().min(0).max(1).optional(),
  rerank: z.boolean().optional(),
  exact: z.boolean().optional(),
  explain: z.boolean().optional(),
  touch: z.boolean().optional(),
  vector: z.unknown().optional(),
  ...readOptions,
}))

const schema = () => z.strictObject({ query: z.string(), ...searchOptions() })
export type SearchInput = z.infer<ReturnType<typeof schema>>

/** A search with every default decided and every value checked. */
export interface SearchRequest {
  readonly query: string
  readonly scope: ScopeFilter
  readonly asOf: AsOf | undefined
  /** Epoch milliseconds: what is expired then is out. */
  readonly now: number
  /** Of kinds: what has lived longer is expired too. */
  readonly lifetimes: Lifetimes | undefined
  readonly mode: SearchMode
  readonly fusion: 'convex' | 'rrf'
  readonly kinds: readonly string[] | undefined
  readonly tags: readonly string[] | undefined
  readonly statuses: readonly Status[]
  readonly filter: FilterNode | undefined
  readonly since: number | undefined
  readonly until: number | undefined
  readonly validAt: number | undefined
  readonly vector: StoredVector | undefined
  readonly limit: number
  readonly minScore: number
  readonly diversity: number
  readonly rerank: boolean
  /** Compare every vector exactly. */
  readonly exact: boolean
  readonly scoring: KindScoring
  readonly anchor: 'createdAt' | 'updatedAt' | 'lastAccessedAt'
  readonly signal: AbortSignal | undefined
}

function modeOf(call: Call, input: SearchInput): SearchMode {
  const { embedder } = call.core
  const mode = input.mode ?? (embedder ? 'hybrid' : 'text')
  if (mode === 'vector' && !embedder) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: "mode 'vector' needs an embedder. Open the memory with one, or search by text.",
    })
  }
  return embedder || mode === 'text' ? mode : 'text'
}

/** @throws InputError for whatever is out of range, unknown or out of reach */
export function parseSearch(call: Call, input: SearchInput): SearchRequest {
  const { core, access } = call
  const { defaults } = core
  const asOf = asOfTime(input.asOf)
  const own = input.vector === undefined ? undefined : parseVector(input.vector, 'vector')
  return {
    query: input.query,
    scope: readScope(access, input),
    asOf,
    now: asOf && 'time' in asOf ? asOf.time : core.clock(),
    lifetimes: core.policies.lifetimes,
    mode: modeOf(call, input),
    fusion: input.fusion ?? 'convex',
    kinds: input.kinds,
    tags: input.tags,
    statuses: statusesOf(input.status, usualStatuses(input.validAt)),
    filter: input.filter === undefined ? undefined : parseFilter(input.filter),
    since: optionalInstant(input.since, 'since'),
    until: optionalInstant(input.until, 'until'),
    validAt: optionalInstant(input.validAt, 'validAt'),
    vector: own && ownVector(core.embedder, own, 'vector'),
    limit: limitOf(input.limit, defaults.limit),
    minScore: input.minScore ?? 0,
    diversity: input.diversity ?? 0,
    rerank: input.rerank ?? true,
    exact: input.exact ?? false,
    scoring: kindScoring(
      core.policies,
      input.kinds,
      { weights: input.weights, halfLifeHours: input.recencyHalfLifeHours },
      { weights: defaults.weights, halfLifeHours: defaults.recencyHalfLifeHours },
    ),
    anchor: input.recencyAnchor ?? defaults.recencyAnchor,
    signal: input.signal,
  }
}

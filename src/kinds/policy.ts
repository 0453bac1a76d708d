import { z } from 'zod'
import type { RetrievalStrategy } from '../contract/index.ts'
import { type Kind, kindSchema, type Lifetimes, madeOnce } from '../model/index.ts'
import type { Factors } from '../retrieval/index.ts'
import { defaultStrategies } from './strategies.ts'

const dayMs = 86_400_000
const share = madeOnce(() =>
  z.number('must be a number from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1'),
)
const days = madeOnce(() =>
  z.int('must be a whole number of days').min(1, 'must be at least 1').max(36_500, 'longer than a century'),
)

const weight = madeOnce(() =>
  z.number('must be a number from 0 to 10').min(0, 'must be from 0 to 10').max(10, 'must be from 0 to 10').optional(),
)

/**
 * Who wins when what is learned contradicts what is known: `newest`, what was said last; `evidence`, what is confirmed more often and
 * more certainly; `trusted`, what comes from the more trusted source; `ask`, nobody, until `conflicts.resolve` says.
 */
export const conflictPolicies = ['newest', 'evidence', 'trusted', 'ask'] as const
export type ConflictPolicy = (typeof conflictPolicies)[number]

/** `onConflict`, of a kind and of a call. */
export const conflictPolicyField = madeOnce(() => z.enum(conflictPolicies).optional())

function isStrategy(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as RetrievalStrategy).rank === 'function'
}

const policySchema = madeOnce(() =>
  z.strictObject({
    ttlDays: days().optional(),
    halfLifeDays: days().optional(),
    decayOnFailure: share().optional(),
    recoverOnSuccess: share().optional(),
    pruneBelow: share().optional(),
    versionOnEdit: z.boolean().optional(),
    maxRecords: z.int().min(1).max(100_000_000).optional(),
    onConflict: conflictPolicyField(),
    strategy: z.custom<RetrievalStrategy>(isStrategy, 'must be an object with rank').optional(),
    weights: z.strictObject({ recency: weight(), importance: weight(), reliability: weight() }).optional(),
  }),
)

/** Policies by kind, as a caller gives them. */
export const kindPoliciesSchema = madeOnce(() => z.record(kindSchema(), policySchema()))

/** The life of the records of one kind. */
export interface KindPolicy {
  /** Whole days from `createdAt` after which a record is expired, judged on every read. @default for ever */
  readonly ttlDays?: number | undefined
  /** After so many days recency has halved: in scores, and when `maintain` chooses what is beyond `maxRecords`. @default the engine's `recencyHalfLifeHours` */
  readonly halfLifeDays?: number | undefined
  /** What a failure leaves of the reliability, 0..1. @default 0.7; tool 0.5 */
  readonly decayOnFailure: number
  /** The share of what is missing to full reliability that a success gives back, 0..1. @default 0 */
  readonly recoverOnSuccess: number
  /** Records of a lower reliability are removed, 0..1. @default 0.1 */
  readonly pruneBelow: number
  /** An edit of what a record says keeps the version before as a record of its own. @default true for procedural and tool, else false */
  readonly versionOnEdit: boolean
  /** Live records in one exact scope; `maintain` removes what is beyond it, least worth keeping first. @default no limit */
  readonly maxRecords?: number | undefined
  /**
   * Who wins when a new fact contradicts a known one. An untrusted source never takes the place of a trusted one, whatever
   * this says: that waits as a conflict (TRU-1). @default 'newest'
   */
  readonly onConflict: ConflictPolicy
  /** How its records are found when a search asks for this kind alone. @default as `defaultStrategies` has it */
  readonly strategy?: RetrievalStrategy | undefined
  /** What moves the scores of its records beside relevance, 0..10 each; 0 takes a factor out. @default the engine's */
  readonly weights?: { readonly [factor in keyof Factors]?: number | undefined } | undefined
}

/** What a caller may say of a kind; the rest stays as it is. */
export type KindPolicyInput = z.input<ReturnType<typeof policySchema>>

const common = {
  decayOnFailure: 0.7,
  recoverOnSuccess: 0,
  pruneBelow: 0.1,
  versionOnEdit: false,
  onConflict: 'newest',
} as const
const builtIn: Readonly<Record<string, KindPolicy>> = {
  semantic: common,
  episodic: common,
  procedural: { ...common, versionOnEdit: true },
  tool: { ...common, decayOnFailure: 0.5, versionOnEdit: true },
  kv: common,
  entity: common,
}

/** The policies of an engine. */
export interface Policies {
  /** Unknown kinds have that of semantic (KND-1). */
  of(kind: Kind): KindPolicy
  /** Kinds with a policy, when one of them says how it is scored; else none. */
  readonly scored: readonly Kind[]
  /** Undefined when every kind lives for ever. */
  readonly lifetimes: Lifetimes | undefined
}

function given(policy: object): object {
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined))
}

/** The built-in policies with what the caller says of each kind. */
export function createPolicies(kinds: Readonly<Record<string, KindPolicyInput>> = {}): Policies {
  const strategies = defaultStrategies()
  const policies = new Map<Kind, KindPolicy>(
    Object.entries(builtIn).map(([kind, policy]) => [kind, { ...policy, strategy: strategies[kind] }]),
  )
  for (const [kind, policy] of Object.entries(kinds)) {
    // Of a kind of the caller's own, what is not said is as with semantic records without a policy.
    policies.set(kind, { ...(policies.get(kind) ?? common), ...given(policy) } as KindPolicy)
  }
  const semantic = policies.get('semantic') as KindPolicy
  const lifetimeOf = ({ ttlDays }: KindPolicy) => (ttlDays === undefined ? Number.POSITIVE_INFINITY : ttlDays * dayMs)
  const mortal = [...policies.values()].some(({ ttlDays }) => ttlDays !== undefined)
  const saysHow = [...policies.values()].some(({ weights, halfLifeDays }) => weights ?? halfLifeDays)
  return {
    of: (kind) => policies.get(kind) ?? semantic,
    scored: saysHow ? [...policies.keys()] : [],
    lifetimes: mortal
      ? {
          byKind: new Map([...policies].map(([kind, policy]) => [kind, lifetimeOf(policy)])),
          others: lifetimeOf(semantic),
        }
      : undefined,
  }
}

/** The half-life of a kind's recency in hours: its own, else the engine's. */
export function halfLifeOf({ halfLifeDays }: KindPolicy, otherwise: number): number {
  return halfLifeDays === undefined ? otherwise : halfLifeDays * 24
}

/** What a report of use makes of a reliability. */
export function reliabilityAfter(
  reliability: number,
  success: boolean,
  { decayOnFailure, recoverOnSuccess }: KindPolicy,
): number {
  return success ? reliability + (1 - reliability) * recoverOnSuccess : reliability * decayOnFailure
}

import { z } from 'zod'
import type { GenerateRequest, PutRecord } from '../../contract/index.ts'
import { InputError, MnemeError } from '../../errors/index.ts'
import { exactly, formatInstant, type JsonValue, madeOnce, type Scope } from '../../model/index.ts'
import { wordCounter } from '../../text/index.ts'
import { analyse } from '../analysis.ts'
import type { Core } from '../core.ts'
import { listAll } from '../listing.ts'
import { unstamped } from '../verbs/unstamped.ts'
import { withRetry } from '../work.ts'
import type { CheckedModelLimits } from './limits.ts'

/** What a model took is kept in records of this kind, one for each exact scope and UTC day, which is their key (LED-1). */
export const ledgerKind = '_ledger'

/** Tokens around each message that no text shows. */
const tokensPerMessage = 16
/** A count by words may be that much too low. */
const margin = 1.25

/** What calls took, or may take. */
export interface Spending {
  readonly inputTokens: number
  readonly outputTokens: number
}

const count = madeOnce(() => z.int().min(0))
const money = madeOnce(() => z.number().min(0))
const daySchema = madeOnce(() =>
  z.strictObject({
    calls: count(),
    inputTokens: count(),
    outputTokens: count(),
    /** Of the calls, those whose tokens are not known but estimated. */
    estimated: count(),
    cost: money().optional(),
    /** What calls that are under way may take, by the ids of the calls. One whose process ended stays for the day. */
    reserved: z.record(z.string(), z.strictObject({ tokens: count(), cost: money() })),
  }),
)

export type LedgerDay = z.infer<ReturnType<typeof daySchema>>

const emptyDay: LedgerDay = { calls: 0, inputTokens: 0, outputTokens: 0, estimated: 0, reserved: {} }

/** What a record of the ledger says; nothing for one that is damaged. */
export function ledgerDay(record: { readonly data?: unknown }): LedgerDay {
  return daySchema().safeParse(record.data).data ?? emptyDay
}

/** Tokens of what is asked, counted by words, with a margin when it is to be a bound. */
export function inputTokensOf(request: GenerateRequest, kind: 'estimate' | 'bound'): number {
  const { system = '', messages, schema } = request
  const texts = [system, ...messages.map(({ content }) => content), ...(schema ? [JSON.stringify(schema)] : [])]
  const counted = texts.reduce((sum, text) => sum + wordCounter.count(text), 0)
  return kind === 'estimate' ? counted : Math.ceil(counted * margin) + tokensPerMessage * (messages.length + 1)
}

export function costOf({ inputTokens, outputTokens }: Spending, { prices }: CheckedModelLimits): number {
  return prices ? (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000 : 0
}

/** The UTC day of the engine's clock. */
function today(core: Core): string {
  return formatInstant(core.clock()).slice(0, 10)
}

/** A call that may be made: what it may take is set aside until `settle` says what it took. */
export interface Reservation {
  readonly id: string
  readonly day: string
}

/**
 * Sets aside what a call may take at most. Without a limit a day nothing needs to be: null.
 * @throws InputError QUOTA_EXCEEDED when it could go beyond the limit; nothing is asked then (LED-2)
 */
export async function reserve(core: Core, scope: Scope, bound: Spending): Promise<Reservation | null> {
  const { modelLimits: limits } = core
  const { tokens: mostTokens, cost: mostCost } = limits.perDay ?? {}
  if (mostTokens === undefined && mostCost === undefined) return null
  const reservation = { id: core.transactionIds(), day: today(core) }
  const tokens = bound.inputTokens + bound.outputTokens
  const cost = costOf(bound, limits)
  await change(core, scope, reservation.day, (day) => {
    const used = usedBy(day)
    if (mostTokens !== undefined && used.tokens + tokens > mostTokens) {
      throw exceeded('tokens', mostTokens, used.tokens, tokens)
    }
    if (mostCost !== undefined && used.cost + cost > mostCost) throw exceeded('cost', mostCost, used.cost, cost)
    return { ...day, reserved: { ...day.reserved, [reservation.id]: { tokens, cost } } }
  })
  return reservation
}

/** Writes down what a call took, in place of what was set aside for it. */
export async function settle(
  core: Core,
  scope: Scope,
  reservation: Reservation | null,
  spent: Spending | null,
  isEstimated: boolean,
): Promise<void> {
  // Nothing was set aside and nothing was taken.
  if (!reservation && !spent) return
  const day = reservation?.day ?? today(core)
  await change(core, scope, day, ({ reserved, ...before }) => {
    const { [reservation?.id ?? '']: _, ...others } = reserved
    if (!spent) return { ...before, reserved: others }
    return {
      calls: before.calls + 1,
      inputTokens: sumOf(before.inputTokens, spent.inputTokens),
      outputTokens: sumOf(before.outputTokens, spent.outputTokens),
      estimated: before.estimated + (isEstimated ? 1 : 0),
      ...(core.modelLimits.prices ? { cost: (before.cost ?? 0) + costOf(spent, core.modelLimits) } : {}),
      reserved: others,
    }
  })
}

/** Whatever a server claims, a day stays one that can be read: else its limit would be forgotten. */
function sumOf(before: number, more: number): number {
  return Math.min(before + more, Number.MAX_SAFE_INTEGER)
}

/** What a day took and may take yet. */
function usedBy({ inputTokens, outputTokens, cost = 0, reserved }: LedgerDay): {
  readonly tokens: number
  readonly cost: number
} {
  const waiting = Object.values(reserved)
  return {
    tokens: waiting.reduce((sum, { tokens }) => sum + tokens, inputTokens + outputTokens),
    cost: waiting.reduce((sum, one) => sum + one.cost, cost),
  }
}

/** Changes a day in a transaction of its own; another process that got in between is heeded. No line in the journal: nobody's memory changed. */
async function change(core: Core, scope: Scope, day: string, to: (day: LedgerDay) => LedgerDay): Promise<void> {
  await withRetry(core, async () => {
    const [found] = await listAll(core, exactly(scope), { kinds: [ledgerKind], key: day, statuses: ['live'] })
    const data = to(found ? ledgerDay(found.record) : emptyDay) as JsonValue
    const record = found ? { ...unstamped(found.record), data } : newRecord(core.ids(), scope, day, data)
    await core.store.commit({
      id: core.transactionIds(),
      at: core.clock(),
      verb: 'usage',
      requires: [
        { type: 'version', id: record.id, is: found?.record.version ?? null },
        ...(found ? [] : [{ type: 'noKey' as const, scope, kind: ledgerKind, key: day }]),
      ],
      changes: [
        {
          type: 'put',
          op: found ? 'update' : 'add',
          record,
          hash: null,
          analysis: analyse(record, null),
          vector: null,
        },
      ],
    })
    core.committed.announce()
  })
}

function newRecord(id: string, scope: Scope, day: string, data: JsonValue): PutRecord {
  return {
    id,
    kind: ledgerKind,
    key: day,
    content: `What language models took on ${day}`,
    data,
    scope,
    tags: [],
    metadata: {},
    importance: 0,
    confidence: 1,
    reliability: 1,
    source: { type: 'system' },
    trust: 'trusted',
    pinned: false,
    accessCount: 0,
    status: 'live',
  }
}

function exceeded(what: 'tokens' | 'cost', limit: number, used: number, needed: number): InputError {
  const shown = (amount: number) => Number(amount.toPrecision(6))
  const unit = what === 'tokens' ? ' tokens' : ''
  return new InputError({
    code: 'QUOTA_EXCEEDED',
    message: `modelLimits.perDay.${what}: ${shown(limit)}${unit} a day for this scope, ${shown(used)} of them used or set aside; a call that may take ${shown(needed)} was not made. Raise it, or go on tomorrow (UTC).`,
    details: { limit, used, needed },
  })
}

/** What an attempt took: what its answer says, else an estimate; null for one that was not begun. */
export function spentBy(
  outcome: { readonly usage?: Spending | undefined; readonly text: string } | MnemeError,
  request: GenerateRequest,
): { readonly spent: Spending | null; readonly isEstimated: boolean } {
  const inputTokens = inputTokensOf(request, 'estimate')
  if (!(outcome instanceof MnemeError)) {
    if (outcome.usage) return { spent: outcome.usage, isEstimated: false }
    return { spent: { inputTokens, outputTokens: wordCounter.count(outcome.text) }, isEstimated: true }
  }
  // What broke off, or was given up, was most likely being written all the time: up to its end at worst.
  const hasBegun = outcome.code === 'MODEL_TIMEOUT' || outcome.details.hasBegun === true
  if (!hasBegun) return { spent: null, isEstimated: false }
  return { spent: { inputTokens, outputTokens: request.maxTokens ?? 0 }, isEstimated: true }
}

import { keptValue } from '../kinds/index.ts'
import { isJsonObject, type JsonObject, type JsonValue, type MemoryRecord } from '../model/index.ts'
import { terms } from '../text/index.ts'
import type { LearnedFact } from './learned-fact.ts'
import { statementForm } from './statements/index.ts'

/** What is known, as far as a fact is compared with it. */
export interface Known {
  readonly record: Pick<MemoryRecord, 'kind' | 'content' | 'data' | 'key' | 'validFrom'>
  /** False: it is of a wider scope, which this call can't change. */
  readonly mayChange: boolean
}

/** What is to be done with a fact; `target` is a position in what it was compared with. */
export type Decision =
  | {
      readonly op: 'add'
      readonly why: string /** It does not hold yet, or no longer: it must not take a key. */
      readonly keyless?: true
    }
  /** The same is known: nothing is written but that it was confirmed. */
  | { readonly op: 'confirm'; readonly target: number; readonly why: string }
  /** What is known stays, and the fact is not stored. */
  | { readonly op: 'keep'; readonly target: number; readonly why: string }
  /** Both can't be true: who wins is for the policy to say. */
  | { readonly op: 'contradict'; readonly target: number; readonly why: string }
  | { readonly op: 'invalidate'; readonly target: number; readonly why: string }
  /** The same in other words, or with more detail. Only a model says so. */
  | { readonly op: 'refine'; readonly target: number; readonly why: string }

/** What a fact without a key says, as its record keeps it. */
export function triple({ subject, attribute, value, effect }: LearnedFact): JsonObject {
  return { subject, attribute, value, ...(effect === 'ends' ? { ended: true } : {}) }
}

function plainTerms(text: string): string {
  return terms(text).join(' ') || text.trim().toLowerCase()
}

function isSameText(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return typeof a === 'string' && typeof b === 'string' && plainTerms(a) === plainTerms(b)
}

/** @param ended of a record that says that something is so no longer */
function isSameTriple(data: JsonValue | undefined, fact: LearnedFact, ended = false): boolean {
  if (!isJsonObject(data) || (data.ended === true) !== ended) return false
  return (['subject', 'attribute', 'value'] as const).every((part) => isSameText(data[part], fact[part]))
}

function isSameStatement(a: string, b: string): boolean {
  return a === b || statementForm(a) === statementForm(b)
}

/** Whether a record of this fact's key has its value. */
function hasValue(record: Known['record'], { value, content }: LearnedFact): boolean {
  return isSameText(keptValue(record), value) || isSameStatement(record.content, content)
}

/** Whether a record says what the fact says, whatever else is known of its subject. */
export function isSaid(record: Known['record'], fact: LearnedFact): boolean {
  if (record.key !== undefined) return record.key === fact.key && hasValue(record, fact)
  return isSameTriple(record.data, fact) || (fact.effect === 'asserts' && isSameStatement(record.content, fact.content))
}

/** Names under which statements that may be about the same are found among many. */
export function formsOf({ key, content, data }: Pick<Known['record'], 'key' | 'content' | 'data'>): readonly string[] {
  const part = (value: JsonValue | undefined) => (typeof value === 'string' ? plainTerms(value) : '')
  const said = isJsonObject(data) ? [data.subject, data.attribute, data.value].map(part) : null
  return [
    ...(key === undefined ? [] : [JSON.stringify(['key', key])]),
    ...(said === null ? [] : [JSON.stringify(['said', ...said])]),
    JSON.stringify(['text', statementForm(content)]),
  ]
}

function firstOf(known: readonly Known[], is: (one: Known) => boolean): number {
  const nearest = known.findIndex((one) => one.mayChange && is(one))
  return nearest >= 0 ? nearest : known.findIndex(is)
}

function decideEnd(fact: LearnedFact, known: readonly Known[], saidAt: string | undefined): Decision {
  // Of one moment what came after it may be the opposite: what was learnt from the same words is not learnt again.
  const learnt = known.findIndex(
    ({ record }) =>
      saidAt !== undefined && record.validFrom === saidAt && isSameStatement(record.content, fact.content),
  )
  if (learnt >= 0) return { op: 'confirm', target: learnt, why: 'known already' }
  const said = known.findIndex((one) => one.mayChange && isSaid(one.record, fact))
  const since = known[said]?.record.validFrom
  if (since !== undefined && saidAt !== undefined && saidAt < since)
    return { op: 'keep', target: said, why: 'said to be true since' }
  if (said >= 0) return { op: 'invalidate', target: said, why: 'it is true no longer' }
  const again = firstOf(known, ({ record }) => isSameStatement(record.content, fact.content))
  if (again >= 0) return { op: 'confirm', target: again, why: 'known already' }
  const other =
    fact.key === undefined ? -1 : firstOf(known, ({ record }) => record.key === fact.key && !hasValue(record, fact))
  if (other >= 0) return { op: 'keep', target: other, why: 'something else is known since' }
  return { op: 'add', keyless: true, why: 'what ended was not known here' }
}

/**
 * Compares a fact with what is known, without a model and without guessing (LRN-8): the same is confirmed, another value of the same
 * key contradicts, what ends takes back the memory of the same subject, attribute and value and no other. Everything else is new.
 * @param now epoch milliseconds
 * @param saidAt when it was said, where that is known
 */
export function decide(
  fact: LearnedFact,
  known: readonly Known[],
  { now, saidAt }: { readonly now: number; readonly saidAt?: string | undefined },
): Decision {
  if (fact.effect === 'ends') return decideEnd(fact, known, saidAt)
  const same = firstOf(known, ({ record }) => isSaid(record, fact))
  if (fact.key === undefined) {
    if (same >= 0) return { op: 'confirm', target: same, why: 'known already' }
    const ended = known.findIndex((one) => one.mayChange && isSameTriple(one.record.data, fact, true))
    return ended >= 0 ? { op: 'contradict', target: ended, why: 'it is true again' } : { op: 'add', why: 'new' }
  }
  // Of the call's own scope the record of the key; those of wider scopes only say that nothing new was said.
  const holder = known.findIndex((one) => one.mayChange && one.record.key === fact.key)
  const { record } = known[holder] ?? {}
  if (record && hasValue(record, fact)) return { op: 'confirm', target: holder, why: 'known already' }
  if (same >= 0) return { op: 'confirm', target: same, why: 'known already' }
  if (fact.validFrom !== undefined && Date.parse(fact.validFrom) > now)
    return { op: 'add', keyless: true, why: 'not true yet' }
  if (fact.validTo !== undefined && Date.parse(fact.validTo) <= now)
    return { op: 'add', keyless: true, why: 'true once' }
  if (!record) {
    const wider = known.some((one) => one.record.key === fact.key)
    return { op: 'add', why: wider ? 'a wider scope, which stays as it is, knows otherwise' : 'new' }
  }
  return { op: 'contradict', target: holder, why: 'another value is known' }
}

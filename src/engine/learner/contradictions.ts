import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import type { ConflictPolicy } from '../../kinds/index.ts'
import { judgeConflict, type Verdict, whyConflict } from '../../learning/index.ts'
import { formatInstant, type MemoryRecord } from '../../model/index.ts'
import type { PlanStep } from '../api/plan.ts'
import { conflictSteps, judge, sideOf } from '../conflict-steps.ts'
import type { Core } from '../core.ts'
import type { Call } from '../verb.ts'
import { closedBy } from '../verbs/closed-by.ts'
import { unstamped } from '../verbs/unstamped.ts'
import { type Appended, type Changes, merged } from './changes.ts'

/** A record that a fact is compared with, as it will be after the facts before it. */
export interface Target {
  /** Null: this write makes it. */
  readonly stored: StoredRecord | null
  readonly now: PutRecord
  /** False: it is of a wider scope. */
  readonly mayChange: boolean
}

export interface Contradicting {
  readonly target: Target
  /** The fact's own record, with its id, as if nothing stood against it. */
  readonly draft: PutRecord
  /** What is to become of the target if the fact wins. `conflict`: somebody is to be asked, whoever would win. */
  readonly how: 'contradict' | 'refine' | 'invalidate' | 'conflict'
  readonly why: string
  readonly evidence: PlanStep['evidence']
  /** When it was said, where that is known. */
  readonly saidAt: string | undefined
  /** Of the call. @default that of the kind */
  readonly onConflict: ConflictPolicy | undefined
  readonly signal: AbortSignal | undefined
}

function policyOf(core: Core, { onConflict, draft }: Contradicting): ConflictPolicy {
  return onConflict ?? core.policies.of(draft.kind).onConflict
}

async function verdictOf({ core }: Call, given: Contradicting): Promise<Verdict> {
  const { target, draft, how, why, evidence, saidAt, signal } = given
  const now = core.clock()
  // Of what one conversation says, the later wins, unless the earlier is more trusted.
  if (target.stored === null) {
    const earlier = sideOf(target.now, now)
    // It was said later, from whatever time on it holds.
    return judgeConflict('newest', earlier, { ...sideOf(draft, now), at: earlier.at })
  }
  if (how === 'conflict') return 'conflict'
  return judge(
    core,
    policyOf(core, given),
    { known: target.stored, incoming: draft, reason: why, evidence, saidAt },
    { signal },
  )
}

/** The record that takes the place of another: what belongs to the name and not to its value goes on. */
function successorOf(core: Core, { now: previous }: Target, draft: PutRecord): PutRecord {
  const version = previous.key === undefined || draft.key === undefined ? undefined : (previous.version ?? 1) + 1
  return {
    ...draft,
    tags: previous.tags,
    metadata: previous.metadata,
    pinned: previous.pinned || draft.pinned,
    validFrom: draft.validFrom ?? formatInstant(core.clock()),
    supersedes: previous.id,
    ...(version === undefined ? {} : { version }),
  }
}

/** The record as it is hidden from recall: true until then. */
function invalidated(core: Core, { now: known }: Target, { validFrom, validTo }: PutRecord): PutRecord {
  const at = validTo ?? validFrom ?? formatInstant(core.clock())
  const closes = known.validTo !== undefined && known.validTo < at ? known.validTo : at
  const end = known.validFrom !== undefined && closes < known.validFrom ? known.validFrom : closes
  return unstamped({ ...known, status: 'invalid', validTo: end })
}

/** The record in the words of the draft. */
function refined({ now: known }: Target, { content, data, confidence, source, trust }: PutRecord): PutRecord {
  const from = [...new Set([...(known.source.from ?? []), ...(source.from ?? [])])]
  return {
    ...unstamped(known),
    content,
    ...(data === undefined ? {} : { data: known.key === undefined ? data : (known.data ?? data) }),
    confidence,
    source: { ...source, ...(from.length === 0 ? {} : { from }) },
    trust,
  }
}

/** A contradiction for somebody to judge, with what this write has heard of it before. */
function toJudge({ core }: Call, changes: Changes, given: Contradicting, known: StoredRecord): Omit<Appended, 'steps'> {
  const { draft, how, why, evidence } = given
  const earlier = changes.appended(known.record.id, draft.content)
  if (earlier) return { ...earlier, evidence: merged(earlier.evidence, evidence) }
  // Of a contradiction that a model found it is said who found it; else also why nobody won.
  const reason =
    how === 'conflict' ? why : `${whyConflict(policyOf(core, given), known.record.trust, draft.trust)}: ${why}`
  return { draft, reason, evidence }
}

/**
 * What becomes of a fact and of what it contradicts. `overruled`: the other one is of this call too, and more trusted.
 * `invalidated`: the other one is hidden, and the fact has no record yet.
 * @returns the record that is new, if there is one
 */
export async function contradict(
  call: Call,
  changes: Changes,
  given: Contradicting,
): Promise<PutRecord | null | 'overruled' | 'invalidated'> {
  const { core } = call
  const { target, draft, how, why, evidence, signal } = given
  const { stored } = target
  const verdict = await verdictOf(call, given)
  if (stored === null && verdict !== 'supersede') return 'overruled'
  if (verdict === 'keep') {
    changes.leave(stored as StoredRecord, `what is known goes before it: ${why}`, evidence)
    return null
  }
  if (verdict === 'conflict') {
    const known = stored as StoredRecord
    // One contradiction that is heard twice in a conversation is one, for which both passages speak.
    const { draft: said, reason, evidence: all } = toJudge(call, changes, given, known)
    const { steps } = await conflictSteps(core, { known, incoming: said, reason, evidence: all }, signal)
    changes.append(known.record.id, said.content, { draft: said, reason, evidence: all, steps })
    return null
  }
  const made = changes.of(target.now.id)
  if (how === 'invalidate') {
    const after = invalidated(core, target, draft)
    changes.put(made ? { ...made, after } : { before: stored, after, op: 'invalidate', reason: why }, evidence)
    return 'invalidated'
  }
  if (how === 'refine') {
    const after = refined(target, draft)
    changes.put(made ? { ...made, after } : { before: stored, after, op: 'update', reason: why }, evidence)
    return null
  }
  const next = successorOf(core, target, draft)
  const closed = closedBy(
    core,
    { record: target.now as MemoryRecord, analysis: stored?.analysis, vector: null } as StoredRecord,
    next,
  )
  const op = stored === null ? 'add' : 'supersede'
  const version = stored === null ? target.now.version : undefined
  const after = { ...closed.after, ...(version === undefined ? {} : { version }) }
  changes.put({ before: stored, after, op, planOp: 'supersede', reason: why }, evidence)
  changes.put({ before: null, after: next, op: 'add', planOp: 'supersede', reason: why }, evidence)
  changes.settle(next)
  return next
}

import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import type { ConflictPolicy } from '../../kinds/index.ts'
import { type Decision, decide, formsOf, isSaid, type Known, triple } from '../../learning/index.ts'
import { compareTrust, formatInstant, type Scope, scopeKey } from '../../model/index.ts'
import { contentHash } from '../analysis.ts'
import type { PlanStep } from '../api/plan.ts'
import type { Call } from '../verb.ts'
import { unstamped } from '../verbs/unstamped.ts'
import type { WorkStep } from '../work.ts'
import { createChanges } from './changes.ts'
import type { Compared } from './compare.ts'
import { contradict, type Target } from './contradictions.ts'
import { draftOf, type SaidFact } from './learned.ts'

/** A confirmation keeps the turns it comes from, up to so many. */
const mostSources = 10
/** How much of what is missing to certainty another turn of the same speaker gives. */
const confirmationShare = 0.25

/** What somebody else decided about a fact: a model, of memories by their ids. */
export type Advice = {
  /** Who, for the reason of the step. */
  readonly by: string
} & (
  | { readonly op: 'add' }
  | { readonly op: 'confirm' | 'refine' | 'contradict' | 'invalidate' | 'conflict'; readonly id: string }
)

export interface FactOptions {
  readonly scope: Scope
  /** Of each fact, in order; undefined: by rules. */
  readonly advice: readonly (Advice | undefined)[]
  readonly evidenceOf: (said: SaidFact) => PlanStep['evidence']
  /** Ids of the turns that are kept, by their positions. */
  readonly turnIds: ReadonlyMap<number, string>
  readonly onConflict: ConflictPolicy | undefined
  readonly signal?: AbortSignal | undefined
}

export interface FactSteps {
  readonly steps: readonly WorkStep[]
  /** Facts that somebody more trusted contradicts in the same call. */
  readonly overruled: readonly SaidFact[]
}

/** A decision, or that a model found a contradiction which somebody is to judge. */
type Settled = Decision | { readonly op: 'conflict'; readonly target: number; readonly why: string }

const whys = {
  confirm: 'known in other words',
  refine: 'the same with more to it',
  contradict: 'it has taken its place',
  invalidate: 'not true any more',
  conflict: 'both can not be true',
} as const

/** What rules are certain of goes before what a model says: the same is the same, and a key has one value. */
function settled(byRules: Decision, advice: Advice | undefined, targets: readonly Target[]): Settled {
  if (!advice || advice.op === 'add' || (byRules.op !== 'add' && byRules.op !== 'contradict')) return byRules
  const { op, id, by } = advice
  const target = targets.findIndex(({ now, mayChange }) => now.id === id && (mayChange || op === 'confirm'))
  if (target < 0 || (byRules.op === 'contradict' && target !== byRules.target)) return byRules
  return { op, target, why: `${whys[op]}, says ${by}` }
}

/** A record that said the same when it was said, and is known no longer. */
function learntBefore(
  { fact }: SaidFact,
  { validFrom }: PutRecord,
  past: readonly StoredRecord[],
): StoredRecord | undefined {
  return past.find(({ record }) =>
    fact.effect === 'ends'
      ? isSaid(record, { ...fact, effect: 'asserts' })
      : record.validFrom === validFrom && isSaid(record, fact),
  )
}

/**
 * The steps of facts, in the order in which they were said, each compared with what is known and with those before it.
 * Of two values of one key the later said wins.
 */
export async function factSteps(
  call: Call,
  facts: readonly SaidFact[],
  compared: readonly Compared[],
  options: FactOptions,
): Promise<FactSteps> {
  const { core } = call
  const { scope, turnIds, evidenceOf, signal } = options
  const changes = createChanges()
  const made = new Map<string, string[]>()
  const overruled: SaidFact[] = []
  const own = scopeKey(scope)
  const now = core.clock()

  /** What the fact is compared with, as it will be after the facts before it. */
  function targetsOf({ fact }: SaidFact, { known }: Compared): Target[] {
    const stored = known.flatMap((one): Target[] => {
      const then = changes.of(one.record.id)?.after ?? one.record
      return then.status === 'live' ? [{ stored: one, now: then, mayChange: scopeKey(then.scope) === own }] : []
    })
    const forms = formsOf({
      content: fact.content,
      data: triple(fact),
      ...(fact.key === undefined ? {} : { key: fact.key }),
    })
    const ids = new Set(forms.flatMap((form) => made.get(form) ?? []))
    const fresh = [...ids].flatMap((id): Target[] => {
      const then = changes.of(id)?.after
      return then?.status === 'live' ? [{ stored: null, now: then, mayChange: true }] : []
    })
    return [...fresh, ...stored]
  }

  function add(said: SaidFact, after: PutRecord, { expired }: Compared, reason: string): void {
    const hash = contentHash(after)
    const takesPlace =
      expired && (after.key === undefined ? contentHash(expired.record) === hash : expired.record.key === after.key)
    const record = takesPlace ? { ...after, id: expired.record.id, createdAt: formatInstant(now) } : after
    const before = takesPlace ? expired : null
    // What this write takes back and is said again after that is there twice only until it is written.
    const isBack = changes.takesBack(record)
    changes.put({ before, after: record, op: 'add', unique: !takesPlace && !isBack, reason }, evidenceOf(said))
    remember(record)
  }

  function remember(record: PutRecord): void {
    for (const form of formsOf(record)) made.set(form, [...(made.get(form) ?? []), record.id])
  }

  /** The same fact again: more certain when another turn of as trusted a source says so, else as it was. */
  function confirm(said: SaidFact, { stored, now: then, mayChange }: Target, draft: PutRecord, reason: string): void {
    const evidence = evidenceOf(said)
    const byTrust = compareTrust(draft.trust, then.trust)
    const isTrusted = byTrust <= 0
    const from = then.source.from ?? []
    const news =
      isTrusted && from.length < mostSources ? (draft.source.from ?? []).filter((id) => !from.includes(id)) : []
    const certain = isTrusted ? Math.max(then.confidence, draft.confidence) : then.confidence
    const confidence = news.length > 0 ? certain + (1 - certain) * confirmationShare : certain
    const isMoreTrusted = byTrust < 0
    const named = then.key === undefined && draft.key !== undefined && then.kind === draft.kind
    const isSame = confidence === then.confidence && news.length === 0 && !isMoreTrusted && !named
    if (isSame || !mayChange) {
      if (stored) changes.leave(stored, reason, evidence)
      else changes.addEvidence(then.id, evidence)
      return
    }
    const sources = [...from, ...news]
    const source = {
      ...(isMoreTrusted ? draft.source : then.source),
      ...(sources.length === 0 ? {} : { from: sources }),
    }
    const after: PutRecord = {
      ...unstamped(then),
      confidence,
      source,
      ...(isMoreTrusted ? { trust: draft.trust } : {}),
      ...(named ? { key: draft.key, data: draft.data } : {}),
    }
    const earlier = changes.of(then.id)
    if (earlier) changes.put({ ...earlier, after }, evidence)
    else changes.put({ before: stored, after, op: 'update', reason }, evidence)
    if (named) remember(after)
  }

  for (const [i, said] of facts.entries()) {
    const about = compared[i] as Compared
    const targets = targetsOf(said, about)
    const known: Known[] = targets.map(({ now, mayChange }) => ({ record: now, mayChange }))
    const byRules = decide(said.fact, known, { now, saidAt: said.turns[0]?.at })
    const decision = settled(byRules, options.advice[i], targets)
    const keyless = decision.op === 'add' && decision.keyless
    const from = [...new Set(said.turns.flatMap(({ position }) => turnIds.get(position) ?? []))]
    const draft: PutRecord = { id: core.ids(), ...draftOf(core, said, { scope, from, keyless }) }
    const why = `${decision.why} (${said.by})`
    const again = learntBefore(said, draft, about.past)
    if (again && (decision.op === 'add' || decision.op === 'contradict' || decision.op === 'confirm')) {
      changes.leave(again, `learnt before, and so no longer (${said.by})`, evidenceOf(said))
    } else if (decision.op === 'add') {
      add(said, draft, about, why)
    } else if (decision.op === 'confirm') {
      confirm(said, targets[decision.target] as Target, draft, why)
    } else if (decision.op === 'keep') {
      const { stored } = targets[decision.target] as Target
      // What this call itself makes is no step of its own: the message is told of by its turn, or as one that taught nothing.
      if (stored) changes.leave(stored, why, evidenceOf(said))
    } else {
      const { op: how, target } = decision
      const evidence = evidenceOf(said)
      const { onConflict } = options
      const saidAt = said.turns[0]?.at
      const one = { target: targets[target] as Target, draft, how, why, evidence, saidAt, onConflict, signal }
      const outcome = await contradict(call, changes, one)
      if (outcome === 'overruled') overruled.push(said)
      // What takes something back says something itself, unless it says just that.
      else if (outcome === 'invalidated' && said.fact.effect === 'asserts') add(said, draft, about, why)
      else if (outcome !== null && outcome !== 'invalidated') remember(outcome)
    }
  }
  return { steps: changes.steps(), overruled }
}

import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import {
  checkedMerges,
  contentTerms,
  hasPayload,
  isMergeable,
  type Merge,
  mergeAnswer,
  mergedFields,
  mergeMessage,
  promptLabel,
} from '../../learning/index.ts'
import { exactly, type MemoryRecord, type Scope } from '../../model/index.ts'
import type { Degradation } from '../api/searching.ts'
import { askModel, type ModelOutcome } from '../ask-model.ts'
import type { Core } from '../core.ts'
import { listPages } from '../listing.ts'
import { refusedAnswer, roomOf } from '../summaries/summary-writer.ts'
import { coveredBy } from './covered-by.ts'
import { relatedLots } from './related.ts'
import type { Group, LeftAlone, Tidied, TidyingOptions } from './tidying.ts'

/** Statements of one exact scope that are shown to a model in one call: of more the newest. */
const mostStatements = 10_000
/** What is longer is a document. */
const longestStatement = 2000
/** Characters that a memory takes in a question beside its text. */
const aroundText = 80

type Answer = ReturnType<typeof mergeAnswer>['_output']
/** What one call has asked of the model. */
export interface Asked {
  /** Answers by what was shown: what is planned again asks nothing twice. */
  readonly answers: Map<string, Promise<ModelOutcome<Answer>>>
  /** Set when the model can't be reached: the rest of the call goes on without it, and waits for no more time-outs. */
  down: boolean
}

/** Trouble of one answer, or of one scope's budget: others may be answered. */
const passing: ReadonlySet<string> = new Set(['MODEL_BAD_OUTPUT', 'QUOTA_EXCEEDED'])

/** Whether a model may write something in the place of a record: a statement without a payload, an end or an expiry. */
function isStatement(core: Core, record: MemoryRecord, { before }: TidyingOptions): boolean {
  const { kind, content, pinned, expiresAt, validTo, createdAt } = record
  return (
    isMergeable(record) &&
    kind !== 'episodic' &&
    !pinned &&
    !hasPayload(record) &&
    expiresAt === undefined &&
    validTo === undefined &&
    content.length <= longestStatement &&
    core.policies.of(kind).ttlDays === undefined &&
    Date.parse(createdAt) <= before
  )
}

async function statementsOf(core: Core, scope: Scope, options: TidyingOptions, touched: ReadonlySet<string>) {
  const { kinds, signal } = options
  const found: StoredRecord[] = []
  for await (const page of listPages(core, exactly(scope), { kinds, now: core.clock(), signal })) {
    for (const one of page) {
      if (!touched.has(one.record.id) && isStatement(core, one.record, options)) found.push(one)
    }
  }
  return found.slice(-mostStatements)
}

/** The statement, and the memories in whose place it stands, hidden in its favour. */
function mergeSteps(core: Core, { text, sources }: Merge, stored: ReadonlyMap<string, StoredRecord>): Group {
  const id = core.ids()
  const [{ source }] = sources as [MemoryRecord, ...MemoryRecord[]]
  const after: PutRecord = {
    id,
    content: text,
    ...mergedFields(sources),
    source: {
      type: 'derived',
      ...(source.actor === undefined ? {} : { actor: source.actor }),
      from: sources.map((one) => one.id),
    },
    pinned: false,
    status: 'live',
    accessCount: 0,
  }
  const reason = `${promptLabel(core.prompts.consolidate)}: ${sources.length} memories in one`
  const evidence = sources.map((one) => ({ message: one.id, quote: one.content }))
  return [
    { type: 'put', op: 'add', before: null, after, reason, evidence },
    ...sources.map((one) => coveredBy(stored.get(one.id) as StoredRecord, id, `in ${id}`)),
  ]
}

/** Statements that belong together become one, in a model's words, where those lose and invent nothing (CSL-10). */
export async function mergeGroups(
  core: Core,
  scope: Scope,
  options: TidyingOptions,
  touched: ReadonlySet<string>,
  asked: Asked,
): Promise<Tidied> {
  const { signal, instructions, minRetention } = options
  if (!core.model || asked.down) return { groups: [], ignored: [], degraded: [] }
  const statements = await statementsOf(core, scope, options, touched)
  const related = statements.map(({ record }) => ({
    length: record.content.length + aroundText,
    terms: contentTerms(record.content),
  }))
  const stored = new Map(statements.map((one) => [one.record.id, one]))
  const prompt = core.prompts.consolidate
  const groups: Group[] = []
  const ignored: LeftAlone[] = []
  const degraded: Degradation[] = []
  for (const lot of relatedLots(related, roomOf(core))) {
    const records = lot.map((i) => (statements[i] as StoredRecord).record)
    const message = mergeMessage(records, instructions)
    const key = JSON.stringify([records.map(({ id, version }) => [id, version]), message])
    const answer =
      asked.answers.get(key) ??
      askModel(core, scope, {
        name: prompt.name,
        system: prompt.system,
        messages: [{ role: 'user', content: message }],
        schema: mergeAnswer(records.length),
        maxTokens: 4096,
        signal,
      })
    asked.answers.set(key, answer)
    const outcome = await answer
    if (!outcome.ok) {
      degraded.push(outcome.degraded)
      asked.down = !passing.has(outcome.degraded.code)
      // What fails once fails again, and every question costs: the rest is left to the next call.
      break
    }
    const { merges, refused, retention } = checkedMerges(outcome.value, records)
    const idsOf = (some: readonly MemoryRecord[]) => some.map(({ id }) => id)
    if (retention < minRetention) {
      const reason = `it keeps ${Math.round(retention * 100)} % of the memories that it names`
      degraded.push(refusedAnswer(core, prompt.name, reason, 'These memories stay as they are.'))
      const all = [...merges, ...refused].flatMap(({ sources }) => idsOf(sources))
      ignored.push({ ids: [...new Set(all)], reason: 'the whole answer was refused' })
      continue
    }
    for (const { sources, reason } of refused) ignored.push({ ids: idsOf(sources), reason })
    for (const merge of merges) groups.push(mergeSteps(core, merge, stored))
  }
  return { groups, ignored, degraded }
}

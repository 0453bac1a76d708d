import type { StoredRecord } from '../../contract/index.ts'
import {
  adviceSchema,
  decide,
  frameData,
  isComparable,
  type OneAdvice,
  promptLabel,
  readAdvice,
} from '../../learning/index.ts'
import { formatInstant, type JsonValue, type Scope, scopeKey } from '../../model/index.ts'
import type { Degradation } from '../api/searching.ts'
import { askModel } from '../ask-model.ts'
import type { Call } from '../verb.ts'
import type { Compared } from './compare.ts'
import type { Advice } from './fact-steps.ts'
import type { SaidFact } from './learned.ts'

/** Memories that a model is shown at once. */
const mostShown = 200
const tokensPerDecision = 40
const leastTokens = 512

/** A fact that a model is to be asked about, with what it is compared with. */
interface Question {
  /** Among the facts, from 0. */
  readonly index: number
  readonly similar: readonly StoredRecord[]
}

/** What rules are certain of is not asked: the same, what ends, and what is like nothing. */
function questionsAbout(
  call: Call,
  scope: Scope,
  facts: readonly SaidFact[],
  compared: readonly Compared[],
): Question[] {
  const own = scopeKey(scope)
  const now = call.core.clock()
  return facts.flatMap(({ fact, turns }, index): Question[] => {
    const { known, cosines } = compared[index] as Compared
    const targets = known.map(({ record }) => ({ record, mayChange: scopeKey(record.scope) === own }))
    const { op } = decide(fact, targets, { now, saidAt: turns[0]?.at })
    if (op !== 'add' && op !== 'contradict') return []
    const similar = known.filter(({ record: { id, content, key } }) => {
      const isOfKey = key !== undefined && key === fact.key
      return isOfKey || isComparable(fact.content, content, fact.subject, cosines.get(id) ?? null)
    })
    return similar.length === 0 ? [] : [{ index, similar }]
  })
}

/** Equal while nothing that was shown beside a fact has changed. */
function signatureOf(similar: readonly StoredRecord[]): string {
  return JSON.stringify(similar.map(({ record: { id, version } }) => [id, version]))
}

function refusedDecisions(refused: number): Degradation {
  const what = refused === 1 ? '1 decision was' : `${refused} decisions were`
  return {
    stage: 'model',
    code: 'MODEL_BAD_OUTPUT',
    message: `${what} not followed: about a fact or memory that was not shown, or a second one about the same. Rules decided instead.`,
  }
}

interface Given {
  readonly advice: ReadonlyMap<number, Advice & { readonly signature: string }>
  readonly degraded: readonly Degradation[]
}

async function ask(
  call: Call,
  scope: Scope,
  facts: readonly SaidFact[],
  questions: readonly Question[],
  signal?: AbortSignal,
): Promise<Given> {
  const { core } = call
  const prompt = core.prompts['learn.decide']
  const shown = new Map<string, { readonly number: number; readonly stored: StoredRecord }>()
  const asked = questions.flatMap((question) => {
    const fits = question.similar.filter(({ record: { id } }) => shown.has(id) || shown.size < mostShown)
    for (const stored of fits) {
      const { id } = stored.record
      if (!shown.has(id) && shown.size < mostShown) shown.set(id, { number: shown.size + 1, stored })
    }
    const similar = fits.flatMap(({ record: { id } }) => shown.get(id)?.number ?? [])
    return similar.length === 0 ? [] : [{ ...question, numbers: similar }]
  })
  const factLines = asked.map(({ index, numbers }, i): JsonValue => {
    const { fact, turns } = facts[index] as SaidFact
    const at = turns[0]?.at
    return { fact: i + 1, content: fact.content, ...(at === undefined ? {} : { said: at }), similar: numbers }
  })
  const memoryLines = [...shown.values()].map(({ number, stored: { record } }): JsonValue => {
    const { content, validFrom, createdAt } = record
    return { memory: number, content, since: validFrom ?? createdAt }
  })
  const content = [
    frameData('now', { now: formatInstant(core.clock()) }),
    frameData('memories', memoryLines),
    frameData('facts', factLines),
  ].join('\n')
  const outcome = await askModel(core, scope, {
    name: prompt.name,
    system: prompt.system,
    messages: [{ role: 'user', content }],
    schema: adviceSchema(),
    maxTokens: Math.max(leastTokens, asked.length * tokensPerDecision),
    signal,
  })
  if (!outcome.ok) return { advice: new Map(), degraded: [outcome.degraded] }
  const { advice, refused } = readAdvice(
    outcome.value,
    asked.map(({ numbers }) => ({ similar: numbers })),
  )
  const ids = [...shown.values()].map(({ stored }) => stored.record.id)
  const by = promptLabel(prompt)
  const given = asked.flatMap(({ index, similar }, i) => {
    const one = advice[i]
    return one ? [[index, { ...asAdvice(one, ids, by), signature: signatureOf(similar) }] as const] : []
  })
  return { advice: new Map(given), degraded: refused === 0 ? [] : [refusedDecisions(refused)] }
}

const ops = {
  noop: 'confirm',
  update: 'refine',
  supersede: 'contradict',
  invalidate: 'invalidate',
  conflict: 'conflict',
} as const

function asAdvice(one: OneAdvice, ids: readonly string[], by: string): Advice {
  return one.op === 'add' ? { op: 'add', by } : { op: ops[one.op], id: ids[one.memory - 1] as string, by }
}

/** A model's advice on facts: asked for once, however often another write comes in between. */
export interface Adviser {
  /** Of each fact; undefined where rules decide: what was shown beside it has changed, or nothing was. */
  advise(
    facts: readonly SaidFact[],
    compared: readonly Compared[],
  ): Promise<{ readonly advice: readonly (Advice | undefined)[]; readonly degraded: readonly Degradation[] }>
}

export function createAdviser(call: Call, scope: Scope, signal?: AbortSignal): Adviser {
  let given: Promise<Given> | undefined
  return {
    async advise(facts, compared) {
      const questions = questionsAbout(call, scope, facts, compared)
      if (!given && questions.length === 0) return { advice: [], degraded: [] }
      given ??= ask(call, scope, facts, questions, signal)
      const { advice, degraded } = await given
      const similar = new Map(questions.map((question) => [question.index, signatureOf(question.similar)]))
      return {
        advice: facts.map((_, i) => {
          const one = advice.get(i)
          return one && one.signature === similar.get(i) ? one : undefined
        }),
        degraded,
      }
    },
  }
}

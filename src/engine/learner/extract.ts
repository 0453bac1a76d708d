import { InputError, MnemeError } from '../../errors/index.ts'
import {
  extractByRules,
  extractionSchema,
  frameData,
  type Message,
  promptLabel,
  readExtraction,
  readTurns,
  shownTurns,
  type Turn,
} from '../../learning/index.ts'
import { formatInstant, type Scope } from '../../model/index.ts'
import type { LearnOptions } from '../api/learning.ts'
import type { Degradation } from '../api/searching.ts'
import { askModel } from '../ask-model.ts'
import type { Call } from '../verb.ts'
import { withoutRecalled } from './guard.ts'
import { draftOf, type Extraction, type SaidFact } from './learned.ts'

export interface ExtractOptions extends Pick<LearnOptions, 'instructions' | 'onFailure' | 'signal'> {
  readonly mode: NonNullable<LearnOptions['mode']>
}

/** Tokens of an answer: what a model writes about each turn, within what most models can. */
const tokensPerTurn = 150
const leastTokens = 2048
const mostTokens = 8192

/** What the rules find in the turns, whose positions stay those of their messages. */
function byRules(call: Call, scope: Scope, messages: readonly Message[], turns: readonly Turn[]): readonly SaidFact[] {
  const texts = new Map(turns.map(({ position, text }) => [position, text]))
  // Of what assistants say nothing is learnt; asked again, a question is still what is answered.
  const readable = messages.map(
    (message, i): Message => (message.role === 'assistant' ? message : { ...message, content: texts.get(i) ?? '' }),
  )
  const byPosition = new Map(turns.map((turn) => [turn.position, turn]))
  const found = extractByRules(readable, { now: formatInstant(call.core.clock()) }).map((fact) => ({
    fact,
    turns: fact.evidence.flatMap(({ message }) => byPosition.get(message) ?? []),
    isInferred: false,
    by: 'rules',
  }))
  // Under a name that is longer than a key may be there is no fact; the turn is kept.
  return bySaid(found.filter((said) => isStorable(call, scope, said)))
}

/** Facts in the order in which they were said, which may not be that of the messages: the later said wins (LRN-9). */
function bySaid(facts: readonly SaidFact[]): readonly SaidFact[] {
  const saidAt = ({ turns }: SaidFact): string => turns[0]?.at ?? ''
  return [...facts].sort((a, b) => (saidAt(a) < saidAt(b) ? -1 : saidAt(a) > saidAt(b) ? 1 : 0))
}

/** What a model is shown: today, in the zone of who spoke last, and the turns. */
function questionFor({ core }: Call, turns: readonly Turn[]): string {
  const zone = turns.findLast((turn) => turn.zone !== undefined)?.zone ?? 'UTC'
  const now = formatInstant(core.clock())
  return [frameData('now', { now, zone }), frameData('turns', shownTurns(turns))].join('\n')
}

interface ModelReading {
  readonly facts: readonly SaidFact[]
  /** All of its answer could be used. */
  readonly isWhole: boolean
  readonly degraded: readonly Degradation[]
}

function refusedFacts(refused: number): Degradation {
  const what = refused === 1 ? '1 fact was' : `${refused} facts were`
  return {
    stage: 'model',
    code: 'MODEL_BAD_OUTPUT',
    message: `${what} left out: nothing that was said bears them out, or they name a turn or a date that there is not.`,
  }
}

/** Whether a memory can hold the fact, whatever a model wrote. */
function isStorable(call: Call, scope: Scope, said: SaidFact): boolean {
  try {
    draftOf(call.core, said, { scope })
    return true
  } catch (error) {
    if (MnemeError.is(error)) return false
    throw error
  }
}

/** What a model finds in the turns, asked once for all of them. */
async function byModel(
  call: Call,
  scope: Scope,
  turns: readonly Turn[],
  { instructions, signal }: ExtractOptions,
): Promise<ModelReading | { readonly failed: Degradation }> {
  const { core } = call
  const prompt = core.prompts['learn.extract']
  const outcome = await askModel(core, scope, {
    name: prompt.name,
    system: instructions === undefined ? prompt.system : `${prompt.system}\n\nThe application adds:\n${instructions}`,
    messages: [{ role: 'user', content: questionFor(call, turns) }],
    schema: extractionSchema(),
    maxTokens: Math.min(mostTokens, Math.max(leastTokens, turns.length * tokensPerTurn)),
    signal,
  })
  if (!outcome.ok) return { failed: outcome.degraded }
  const read = readExtraction(outcome.value, turns)
  const by = promptLabel(prompt)
  const facts = read.found.map((found): SaidFact => ({ ...found, by })).filter((said) => isStorable(call, scope, said))
  const refused = read.refused + read.found.length - facts.length
  return { facts: bySaid(facts), isWhole: refused === 0, degraded: refused === 0 ? [] : [refusedFacts(refused)] }
}

function noModel(): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message:
      "mode 'model' needs a language model. Give openMemory one with the option model, or use mode 'auto' or 'rules'.",
    details: { field: 'mode' },
  })
}

/**
 * What messages teach, read once: what says nothing is sorted out first, then facts are found the way that was asked for. When a
 * model fails, the turns are kept, and with `auto` the rules say what is certain (LRN-15).
 */
export async function extract(
  call: Call,
  scope: Scope,
  messages: readonly Message[],
  options: ExtractOptions,
): Promise<Extraction> {
  const { mode, onFailure = 'keep', signal } = options
  const { model } = call.core
  if (mode === 'model' && !model) throw noModel()
  const read = readTurns(messages)
  const guarded = await withoutRecalled(call, scope, read.turns, signal)
  const { turns } = guarded
  const base = { turns, ignored: [...read.ignored, ...guarded.ignored] }
  if (mode === 'verbatim') return { ...base, facts: [], kept: turns, degraded: guarded.degraded }
  if (mode === 'rules' || !model || turns.length === 0) {
    return { ...base, facts: byRules(call, scope, messages, turns), kept: turns, degraded: guarded.degraded }
  }
  const reading = await byModel(call, scope, turns, options)
  const kept = onFailure === 'keep' ? turns : []
  if ('failed' in reading) {
    const facts = mode === 'auto' ? byRules(call, scope, messages, turns) : []
    return { ...base, facts, kept, hasFailed: true, degraded: [...guarded.degraded, reading.failed] }
  }
  const { facts, isWhole, degraded } = reading
  return {
    ...base,
    facts,
    byModel: true,
    kept: isWhole ? [] : kept,
    hasFailed: !isWhole,
    degraded: [...guarded.degraded, ...degraded],
  }
}

import { compress } from '../../context/index.ts'
import {
  byAge,
  checkedSummary,
  type PickOptions,
  pickSentences,
  promptLabel,
  type SummaryItem,
  type SummarySentence,
  summaryAnswer,
  summaryMessage,
} from '../../learning/index.ts'
import type { Scope } from '../../model/index.ts'
import type { Degradation } from '../api/searching.ts'
import { askModel } from '../ask-model.ts'
import type { Core } from '../core.ts'
import type { WriteSummary } from './refresh-summary.ts'

/** Tokens of a summary where the caller says nothing. */
export const defaultSummaryTokens = 300

/** Characters of memories that a model is shown at once: about 6,000 tokens. */
const mostCharacters = 24_000
/** Tokens of one memory that a model is shown: of a longer one what says most. */
const mostOfOne = 600
const longOne = 4000

/** What goes into one question, by the room of the model. */
export function roomOf({ modelLimits }: Core): number {
  const tokens = modelLimits.perCall?.tokens
  // Half of it is for the answer; a token is two characters at the least.
  return tokens === undefined ? mostCharacters : Math.max(500, Math.min(mostCharacters, tokens))
}

function shown(item: SummaryItem): SummaryItem {
  if (item.content.length <= longOne) return item
  return { ...item, content: compress(item.content, { tokens: mostOfOne }).text }
}

/** Items that fit into one question, and the others. */
function split(items: readonly SummaryItem[], room: number): [readonly SummaryItem[], readonly SummaryItem[]] {
  let length = 0
  const end = items.findIndex((item, i) => {
    length += item.content.length + 60
    return i > 0 && length > room
  })
  return end < 0 ? [items, []] : [items.slice(0, end), items.slice(end)]
}

/** The failure of a model's answer that could be read and can't be used. */
export function refusedAnswer(core: Core, task: string, reason: string, instead: string): Degradation {
  const message = `The language model ${core.model?.id} answered ${task} with something that is not used: ${reason}. ${instead}`
  return { stage: 'model', code: 'MODEL_BAD_OUTPUT', message }
}

/**
 * The words of the model where there is one, if they are those of the memories; else, and without one, the best sentences as they stand.
 * More than goes into one question is summed up part by part, each with what was written before.
 * @param scope is charged for what the model takes; null: no model is asked
 */
export function summaryWriter(
  core: Core,
  scope: Scope | null,
  options: PickOptions,
  signal?: AbortSignal,
): WriteSummary {
  const answers = new Map<string, Promise<readonly SummarySentence[] | Degradation>>()
  const bySentences = (items: readonly SummaryItem[], degraded: readonly Degradation[]) => ({
    sentences: pickSentences(items, options),
    by: 'rules',
    degraded,
  })

  async function ask(
    charged: Scope,
    items: readonly SummaryItem[],
    message: string,
  ): Promise<readonly SummarySentence[] | Degradation> {
    const prompt = core.prompts.summarize
    const outcome = await askModel(core, charged, {
      name: prompt.name,
      system: prompt.system,
      messages: [{ role: 'user', content: message }],
      schema: summaryAnswer(items.length),
      maxTokens: Math.min(8192, 2 * options.tokens + 500),
      signal,
    })
    if (!outcome.ok) return outcome.degraded
    const checked = checkedSummary(outcome.value, items, options)
    if (checked.ok) return checked.sentences
    return refusedAnswer(core, prompt.name, checked.reason, 'The best sentences of the memories stand instead.')
  }

  return async (items) => {
    if (!core.model || scope === null || items.length === 0 || options.tokens === 0) return bySentences(items, [])
    let rest: readonly SummaryItem[] = items.map(shown).sort(byAge)
    let sentences: readonly SummarySentence[] = []
    while (rest.length > 0) {
      const before = sentences.map(
        ({ text, ...sentence }): SummaryItem => ({ ...sentence, content: text, whole: true }),
      )
      const [next, later] = split(rest, roomOf(core))
      const now = [...before, ...next]
      rest = later
      const message = summaryMessage(now, options)
      // A write that is planned again asks nothing twice.
      const answer = await (answers.get(message) ?? remember(message, ask(scope, now, message)))
      if (!('length' in answer)) return bySentences(items, [answer])
      sentences = answer
    }
    return { sentences, by: promptLabel(core.prompts.summarize), degraded: [] }
  }

  function remember<T extends Promise<readonly SummarySentence[] | Degradation>>(message: string, answer: T): T {
    answers.set(message, answer)
    return answer
  }
}

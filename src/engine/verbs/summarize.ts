import { z } from 'zod'
import { counterField } from '../../context/index.ts'
import type { TokenCounter } from '../../contract/index.ts'
import { citedText, type SummarySentence, summaryText } from '../../learning/index.ts'
import { compareTrust, inSession, type MemoryRecord, parseFilter, type ScopeFilter } from '../../model/index.ts'
import { counterFor } from '../../text/index.ts'
import { keyedScopes, readScope } from '../access.ts'
import type { Degradation } from '../api/searching.ts'
import type { SummarizeResult } from '../api/summaries.ts'
import { type Made, made } from '../keyed.ts'
import { listPage } from '../listing.ts'
import { runSearch } from '../search/run-search.ts'
import { parseSearch } from '../search/search-input.ts'
import { isSummedUp, summaryItem } from '../summaries/summary-items.ts'
import { defaultSummaryTokens, summaryWriter } from '../summaries/summary-writer.ts'
import {
  type Call,
  defineVerb,
  kindsField,
  limitField,
  limitOf,
  optionalInstant,
  readOptions,
  tagsField,
  timeField,
} from '../verb.ts'
import { maxSummaryTokens } from './summaries/refresh.ts'

const input = () =>
  z.strictObject({
    query: z.string().max(65_536).optional(),
    limit: limitField(),
    tokens: z.int().min(0).max(maxSummaryTokens).optional(),
    counter: counterField(),
    cite: z.boolean().optional(),
    session: z.string().min(1).optional(),
    profile: z.boolean().optional(),
    kinds: kindsField(),
    tags: tagsField(),
    filter: z.unknown().optional(),
    since: timeField(),
    until: timeField(),
    ...readOptions,
  })
type Input = z.infer<ReturnType<typeof input>>

interface Gathered {
  readonly records: readonly MemoryRecord[]
  readonly degraded: readonly Degradation[]
}

/** Whether a record may be in the summary that is asked for. */
function isWanted({ kinds, profile }: Input): (record: MemoryRecord) => boolean {
  // What is asked for by its kind is summed up, whatever it is.
  return ({ kind }) => (kinds !== undefined || isSummedUp(kind)) && !(profile && kind === 'episodic')
}

function visible({ access }: Call, given: Input): ScopeFilter {
  const scope = readScope(access, given)
  return given.session === undefined ? scope : inSession(scope, given.session)
}

/**
 * Of the best match's score, what a memory needs to be summed up beside it: what has less is about something else, and would fill
 * the tokens that are left. On a dozen facts with seven questions, what belonged had .26 or more, what did not mostly .15 or less.
 */
const besideBest = 0.2

/** What fits a query best; looking for it is no use of it. */
async function bySearch(call: Call, given: Input, query: string, limit: number): Promise<Gathered> {
  const { tokens: _tokens, counter: _counter, cite: _cite, session: _session, profile: _profile, ...rest } = given
  const request = { ...parseSearch(call, { ...rest, query, limit }), scope: visible(call, given) }
  const wanted = isWanted(given)
  const records: MemoryRecord[] = []
  let degraded: readonly Degradation[] = []
  let best = 0
  let place: Parameters<typeof runSearch>[2]
  do {
    const searched = await runSearch(call.core, request, place)
    for (const { stored, scored } of searched.found) {
      if (!wanted(stored.record)) continue
      best = Math.max(best, scored.score)
      if (scored.score >= besideBest * best) records.push(stored.record)
    }
    if (place === undefined) ({ degraded } = searched)
    place = searched.next ?? undefined
  } while (place !== undefined && records.length < limit && place.offset < 10 * limit)
  return { records: records.slice(0, limit), degraded }
}

/** The newest. */
async function byTime(call: Call, given: Input, limit: number): Promise<Gathered> {
  const { core } = call
  const query = {
    kinds: given.kinds,
    tags: given.tags,
    filter: given.filter === undefined ? undefined : parseFilter(given.filter),
    since: optionalInstant(given.since, 'since'),
    until: optionalInstant(given.until, 'until'),
    now: core.clock(),
    lifetimes: core.policies.lifetimes,
    order: given.profile ? ('importance' as const) : ('newest' as const),
    limit,
  }
  const page = await listPage(core, visible(call, given), query, { signal: given.signal, bare: true }, isWanted(given))
  return { records: page.items.map(({ record }) => record), degraded: [] }
}

/** The summary with the trust of the least trusted memory that is in it. */
function answerOf(
  sentences: readonly SummarySentence[],
  records: readonly MemoryRecord[],
  { cite, counter }: { readonly cite: boolean; readonly counter: TokenCounter },
): SummarizeResult {
  const { text: cited, sources } = citedText(sentences)
  const text = cite ? cited : summaryText(sentences)
  const trust = records
    .filter(({ id }) => sources.includes(id))
    .map((one) => one.trust)
    .toSorted(compareTrust)
    .at(-1)
  return { text, sources, tokens: counter.count(text), ...(trust === undefined ? {} : { trust }) }
}

export const summarize = defineVerb({
  name: 'summarize',
  summary: 'Sum up what is remembered, about a question or in all, with its sources.',
  positional: [],
  input,
  writes: false,
  ...made,
  example: 'mneme summarize --query "Where does Ann live?" --user ann',
  async run(call, given): Promise<Made<SummarizeResult>> {
    const { query, cite = true } = given
    const limit = limitOf(given.limit, call.core.defaults.summaryLimit)
    const counter = counterFor(given.counter)
    const asked = query === undefined || query.trim() === '' ? undefined : query
    const { records, degraded } =
      asked === undefined ? await byTime(call, given, limit) : await bySearch(call, given, asked, limit)
    const render = (sentences: readonly SummarySentence[]) =>
      cite ? citedText(sentences).text : summaryText(sentences)
    const budget = { tokens: given.tokens ?? defaultSummaryTokens, counter, query: asked, render }
    // What is of everybody is nobody's to be charged for.
    const charged = given.allScopes ? null : (keyedScopes(call.access, given)[0] ?? null)
    const write = summaryWriter(call.core, charged, budget, given.signal)
    const written = await write(records.map(summaryItem))
    const all = [...degraded, ...written.degraded]
    const answer = answerOf(written.sentences, records, { cite, counter })
    return { from: records, answer: { ...answer, ...(all.length === 0 ? {} : { degraded: all }) } }
  },
})

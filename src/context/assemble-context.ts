import type { TokenCounter } from '../contract/index.ts'
import {
  type ContextFormat,
  type ContextSection,
  contextSections,
  inconsistentCounter,
  memoryMarkers,
} from '../text/index.ts'
import { compressWith } from './compress.ts'
import { type ContextItem, headingLine, itemLine, labelOf, renderContext } from './render-context.ts'

/** A memory that may be shown. */
export interface ContextCandidate extends ContextItem {
  readonly id: string
  /** Equal for texts that say the same: only the first is shown. Empty: never the same. */
  readonly form: string
  /** Where it stands in its section; candidates come in the order in which they are wanted. @default that order */
  readonly place?: number | undefined
}

export interface ContextRequest {
  readonly tokens: number
  readonly counter: TokenCounter
  readonly format: ContextFormat
  readonly cite: boolean
  /** What found memories are shortened for. */
  readonly query: string
  /** The sections that share the budget. @default all */
  readonly sections?: readonly ContextSection[] | undefined
}

export interface AssembledContext {
  readonly text: string
  readonly tokens: number
  readonly items: readonly { readonly id: string; readonly label: string; readonly tokens: number }[]
  readonly omitted: readonly { readonly id: string; readonly why: 'budget' | 'duplicate' }[]
}

/**
 * Shares of the budget. What is there for every query gets a third and never more, so that the beginning stays the same whatever is
 * asked: who the user is, and what was pinned. The rest goes to what was asked for: most of it to facts, which
 * answer in few words; to episodes, which show how it was said; least to skills, of which one or two fit. What one does not need,
 * the next one may use; what all leave, facts, episodes and skills take in this order.
 */
const shares: Readonly<Record<ContextSection, number>> = {
  profile: 0.2,
  pinned: 0.15,
  facts: 0.35,
  episodes: 0.2,
  skills: 0.1,
}
const standing: ReadonlySet<ContextSection> = new Set(['profile', 'pinned'])

/** No memory takes more than so much of the share of its section, unless all of them fit whole; a few tokens are always allowed. */
const largestPart = 0.5
const alwaysAllowed = 64
/** A memory of fewer tokens is shown whole or not at all, and none is shortened to less than the second. */
const worthShortening = 48
const shortest = 24

/** Of a long memory, so many characters are counted first: more than a budget holds by most counters. */
const mostCounted = 4000
const charactersCounted = 12

interface Priced {
  readonly candidate: ContextCandidate
  readonly order: number
  readonly cost: number
}

interface Selection {
  /** In the order of taking: what was taken last goes first, should all of it be too much. */
  readonly taken: Priced[]
  left: number
}

/** What a line costs; infinite where the beginning alone is more than the budget: counting documents that can't fit takes long. */
function costOf(candidate: ContextCandidate, { tokens, counter, format, cite }: ContextRequest): number {
  const count = (text: string) =>
    counter.count(`${itemLine({ ...candidate, text }, cite ? labelOf(9) : undefined, format)}\n`)
  const beginning = Math.max(mostCounted, tokens * charactersCounted)
  const { text } = candidate
  if (text.length > beginning && count(text.slice(0, beginning)) > tokens) return Number.POSITIVE_INFINITY
  return count(text)
}

/** A shorter version whose line counts at most `allowed`; null where none is worth showing. */
function shortened(priced: Priced, allowed: number, request: ContextRequest): Priced | null {
  const { candidate, order, cost } = priced
  if (cost < worthShortening || allowed < shortest) return null
  const query = standing.has(candidate.section) ? undefined : request.query
  let tokens = allowed - costOf({ ...candidate, text: '', shortened: true }, request)
  // Escapes count too, and only the line tells how much.
  for (let attempt = 0; attempt < 4 && tokens > 0; attempt++, tokens = Math.floor(tokens * 0.7)) {
    const { text } = compressWith(candidate.text, { tokens, query, counter: request.counter })
    if (text === '') return null
    const shorter = { ...candidate, text, shortened: true as const }
    const own = costOf(shorter, request)
    if (own <= allowed) return { candidate: shorter, order, cost: own }
  }
  return null
}

/** Takes what fits into a share. What does not is left for a later round. */
function fill(
  waiting: readonly Priced[],
  selection: Selection,
  share: number,
  headingCost: number,
  request: ContextRequest,
  lastRound: boolean,
): { rest: Priced[]; used: number } {
  const rest: Priced[] = []
  let used = 0
  let heading = headingCost
  for (const priced of waiting) {
    const room = Math.min(share - used, selection.left) - heading
    const most = lastRound ? room : Math.min(room, Math.max(share * largestPart, alwaysAllowed))
    const isGiant = priced.cost > Math.max(share * largestPart, alwaysAllowed)
    const fitting =
      priced.cost <= most ? priced : lastRound || isGiant ? shortened(priced, Math.floor(most), request) : null
    if (fitting === null) {
      rest.push(priced)
      continue
    }
    selection.taken.push(fitting)
    selection.left -= fitting.cost + heading
    used += fitting.cost + heading
    heading = 0
  }
  return { rest, used }
}

/** Each thing once, and nothing that is shown already: by id and by what it says. */
function withoutDuplicates(candidates: readonly ContextCandidate[], shown: readonly ContextCandidate[] = []) {
  const ids = new Set(shown.map(({ id }) => id))
  const forms = new Set(shown.map(({ form }) => form))
  const distinct: ContextCandidate[] = []
  const duplicates: string[] = []
  for (const candidate of candidates) {
    if (ids.has(candidate.id)) continue
    ids.add(candidate.id)
    if (candidate.form !== '' && forms.has(candidate.form)) duplicates.push(candidate.id)
    else {
      forms.add(candidate.form)
      distinct.push(candidate)
    }
  }
  return { distinct, duplicates }
}

function inOrder(taken: readonly Priced[]): ContextCandidate[] {
  const placeOf = ({ candidate, order }: Priced) => candidate.place ?? order
  return [...taken]
    .sort(
      (a, b) =>
        contextSections.indexOf(a.candidate.section) - contextSections.indexOf(b.candidate.section) ||
        placeOf(a) - placeOf(b) ||
        a.order - b.order,
    )
    .map(({ candidate }) => candidate)
}

/**
 * Chooses among candidates, given in the order in which they are wanted within their sections, and renders them within the budget.
 * The same candidates give the same text, and the text never counts more than the budget.
 * @throws InputError INVALID_ARGUMENT for a counter that throws or contradicts itself
 */
export function assembleContext(candidates: readonly ContextCandidate[], request: ContextRequest): AssembledContext {
  const { tokens, counter, format, cite, sections: asked = contextSections } = request
  const { distinct, duplicates } = withoutDuplicates(candidates)
  const repeated = duplicates.map((id) => ({ id, why: 'duplicate' as const }))
  const { begin, end } = memoryMarkers[format]
  const frame = counter.count(`${begin}\n${end}`)
  const nothing: AssembledContext = {
    text: '',
    tokens: 0,
    items: [],
    omitted: [...distinct.map(({ id }) => ({ id, why: 'budget' as const })), ...repeated],
  }
  if (distinct.length === 0 || tokens <= frame) return nothing

  const room = tokens - frame
  const whole = asked.reduce((sum, section) => sum + shares[section], 0)
  const pricedIn = (all: readonly ContextCandidate[]) => (section: ContextSection) => {
    const own = all.flatMap((candidate, order) => (candidate.section === section ? [{ candidate, order }] : []))
    const lines =
      format === 'xml' ? `${headingLine(section, format)}\n</${section}>\n` : `${headingLine(section, format)}\n`
    return {
      section,
      waiting: own.map((one): Priced => ({ ...one, cost: costOf(one.candidate, request) })),
      heading: own.length === 0 ? 0 : counter.count(lines),
    }
  }
  const selection: Selection = { taken: [], left: room }

  let carried = 0
  const isStanding = (section: ContextSection) => standing.has(section)
  for (const { section, waiting, heading } of contextSections.filter(isStanding).map(pricedIn(distinct))) {
    const share = (room * shares[section]) / whole + carried
    carried = share - fill(waiting, selection, share, heading, request, false).used
  }

  // What the standing sections had no room for may still be what was asked for.
  const taken = selection.taken.map(({ candidate }) => candidate)
  const others = withoutDuplicates(
    candidates.filter(({ section }) => !isStanding(section)),
    taken,
  ).distinct
  const found = contextSections.filter((section) => !isStanding(section)).map(pricedIn(others))
  const total = found.reduce(
    (sum, { waiting, heading }) => sum + heading + waiting.reduce((all, { cost }) => all + cost, 0),
    0,
  )
  if (total <= selection.left) {
    for (const { waiting } of found) selection.taken.push(...waiting)
  } else {
    const rest = selection.left
    const parts = found.reduce((sum, { section }) => sum + (asked.includes(section) ? shares[section] : 0), 0)
    let over = 0
    const left = found.map(({ section, waiting, heading }) => {
      const share = (rest * shares[section]) / parts + over
      const filled = fill(waiting, selection, share, heading, request, false)
      over = share - filled.used
      return { waiting: filled.rest, heading: filled.used > 0 ? 0 : heading }
    })
    for (const { waiting, heading } of left) fill(waiting, selection, selection.left, heading, request, true)
  }

  const shown = mostThatFits(selection.taken, request)
  const text = renderContext(shown, { format, cite })
  const used = counter.count(text)
  if (used > tokens) throw inconsistentCounter()
  const ids = new Set(shown.map(({ id }) => id))
  return {
    text,
    tokens: used,
    items: shown.map((candidate, i) => {
      const label = labelOf(i)
      return { id: candidate.id, label, tokens: counter.count(itemLine(candidate, cite ? label : undefined, format)) }
    }),
    omitted: [...nothing.omitted.filter(({ id }) => !ids.has(id))],
  }
}

/** What lines cost together, only the whole tells: as many as fit of those that were taken, from the first on. */
function mostThatFits(taken: readonly Priced[], { tokens, counter, format, cite }: ContextRequest): ContextCandidate[] {
  let shown: ContextCandidate[] = []
  let [low, high] = [0, taken.length]
  for (let count = high; low < high; count = (low + high + 1) >> 1) {
    const some = inOrder(taken.slice(0, count))
    if (counter.count(renderContext(some, { format, cite })) <= tokens) {
      shown = some
      low = count
    } else high = count - 1
  }
  return shown
}

import { type IgnoredMessage, type LearnedFact, type Turn, triple } from '../../learning/index.ts'
import {
  compareTrust,
  defaultTrust,
  type ParsedMemory,
  parseNewMemory,
  type Scope,
  type Source,
  type SourceType,
  type Trust,
} from '../../model/index.ts'
import type { Degradation } from '../api/searching.ts'
import type { Core } from '../core.ts'

/** A fact with who said it. */
export interface SaidFact {
  readonly fact: LearnedFact
  /** The turns that show it, the one it is taken from first. */
  readonly turns: readonly Turn[]
  /** Taken from words that don't say it literally: never more than inferred. */
  readonly isInferred: boolean
  /** How it was found, for the reasons of a plan: `rules`, `learn.extract@1`. */
  readonly by: string
}

/** What messages teach, before it is compared with what is known. */
export interface Extraction {
  /** What there was to learn from. */
  readonly turns: readonly Turn[]
  readonly facts: readonly SaidFact[]
  /** Turns that are kept as they are. */
  readonly kept: readonly Turn[]
  readonly ignored: readonly IgnoredMessage[]
  /** A model found the facts, and may be asked to compare them. */
  readonly byModel?: boolean
  /** A model was asked, and not all that it said could be used. */
  readonly hasFailed?: boolean
  readonly degraded: readonly Degradation[]
}

/** Who says what is of which source; what is not said by a person is trusted less (TRU). */
export function sourceTypeOf({ role }: Pick<Turn, 'role'>): SourceType {
  return role === 'tool' ? 'tool' : role === 'assistant' ? 'assistant' : role === 'system' ? 'system' : 'user'
}

/** The attribute of what somebody asks the assistant to do from now on. */
const wishOfAllAnswers = 'instruction'

/** The less trusted of two. */
function atMost(trust: Trust, most: Trust): Trust {
  return compareTrust(trust, most) > 0 ? trust : most
}

/** From when on it is true: as it says, else from when it was said. Events have their own time. */
function validity({ kind, validFrom, validTo }: LearnedFact, saidAt: string | undefined): object {
  const from = validFrom ?? (kind === 'semantic' ? saidAt : undefined)
  return {
    ...(from === undefined || (validTo !== undefined && validTo < from) ? {} : { validFrom: from }),
    ...(validTo === undefined ? {} : { validTo }),
  }
}

export interface DraftOptions {
  readonly scope: Scope
  /** Ids of the turns that are kept. */
  readonly from?: readonly string[]
  /** Not under its key: it is not what is true now. */
  readonly keyless?: boolean | undefined
}

/** The memory of a fact. @throws InputError for what no memory can hold */
export function draftOf(
  core: Core,
  { fact, turns, isInferred }: SaidFact,
  { scope, from = [], keyless = false }: DraftOptions,
): ParsedMemory['draft'] {
  const turn = turns[0]
  const type = turn ? sourceTypeOf(turn) : 'derived'
  const quote = fact.evidence[0]?.quote
  const source: Source = {
    type,
    ...(turn?.name === undefined ? {} : { actor: turn.name }),
    ...(quote === undefined || quote === '' ? {} : { quote }),
    ...(from.length === 0 ? {} : { from }),
  }
  const key = keyless || fact.effect === 'ends' ? undefined : fact.key
  const own = defaultTrust(type)
  const trust = isInferred ? atMost(own, 'inferred') : own
  return parseNewMemory(
    {
      kind: key === undefined ? fact.kind : 'semantic',
      content: fact.content,
      data: key === undefined ? triple(fact) : fact.value,
      ...(key === undefined ? {} : { key }),
      confidence: fact.confidence,
      ...(fact.importance === undefined ? {} : { importance: fact.importance }),
      source,
      trust,
      // What is wanted of all answers says nothing about any question: only what is always there is heeded.
      ...(fact.attribute === wishOfAllAnswers && fact.effect === 'asserts' && trust === 'trusted'
        ? { pinned: true }
        : {}),
      ...(fact.eventTime === undefined ? {} : { eventTime: fact.eventTime }),
      ...validity(fact, turn?.at),
    },
    { scope, importance: core.defaults.importance },
    'fact',
  ).draft
}

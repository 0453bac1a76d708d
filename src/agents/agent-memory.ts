import type { FactOutcome, MemoryEngine, SearchHit } from '../engine/index.ts'
import { InputError } from '../errors/index.ts'
import type { Skill } from '../kinds/index.ts'
import type { JsonValue, Metadata, Scope } from '../model/index.ts'
import { type ApolliaDocument, sourceOfText, textOfSource } from '../transfer/index.ts'
import { checkedOptions } from './checked-options.ts'

export interface AgentMemoryOptions {
  /** Refuse every write with SCOPE_DENIED: for a scope that is shared. @default false */
  readonly readOnly?: boolean | undefined
}

export interface AgentReadOptions {
  /** Why: leaves a line in the journal, whether something was found or not. */
  readonly reason?: string | undefined
}

export interface RecordOptions {
  /** 0..1; low ones are forgotten first. @default the engine's */
  readonly importance?: number | undefined
  /** What it was done for, 1..1024 characters. */
  readonly task?: string | undefined
  readonly metadata?: Metadata | undefined
  /** Whole milliseconds until it is forgotten, from 1. @default never */
  readonly expiresIn?: number | undefined
}

export interface RememberOptions {
  /** Where it comes from, in the agent's words: 1..8192 characters. */
  readonly source?: string | undefined
  /** 0..1. Below that of the present value, that one is kept. @default 1 */
  readonly confidence?: number | undefined
}

export interface RememberResult {
  /** Of the memory that holds the value which is known now. */
  readonly id: string
  /** `kept`: the present value is more certain, and nothing was written. */
  readonly outcome: FactOutcome
}

/** What is known under a key. */
export interface AgentEntry {
  readonly id: string
  readonly key: string
  readonly value: JsonValue
  /** Null when nothing was said. */
  readonly source: string | null
  /** 0..1. */
  readonly confidence: number
  readonly version: number
  readonly updatedAt: string
}

/** A procedure that fits. */
export interface AgentProcedure extends Pick<Skill, 'trigger' | 'steps' | 'version' | 'successes' | 'failures'> {
  readonly id: string
  readonly name: string
  /** How well it fits, 0..1; 1 for a match by trigger. */
  readonly score: number
  /** 0..1, moved by reports. */
  readonly reliability: number
}

/**
 * The memory of one agent: everything it writes lands in its scope, and nothing else can be reached (AGT-1). Whatever is called
 * with options that do not exist throws InputError UNKNOWN_FIELD, and a write to a `readOnly` one InputError SCOPE_DENIED.
 */
export interface AgentMemory {
  readonly scope: Scope
  /** Keeps what happened. @returns the id of the event */
  record(content: string, options?: RecordOptions): Promise<string>
  /** Keeps a fact under a key of 1..512 characters; another value takes the place of the one before. */
  remember(key: string, value: JsonValue, options?: RememberOptions): Promise<RememberResult>
  /** The value as a text, what is no text as JSON; null when nothing is known. */
  recall(key: string, options?: AgentReadOptions): Promise<string | null>
  recallEntry(key: string, options?: AgentReadOptions): Promise<AgentEntry | null>
  /** Most recently written first. */
  recallAll(
    options?: AgentReadOptions & {
      /** 1..1000. @default 100 */
      readonly limit?: number | undefined
    },
  ): Promise<readonly AgentEntry[]>
  /** Deletes a fact with its former values. @returns whether there was one */
  forget(key: string): Promise<boolean>
  /** Finds events and facts, best first. The query is never syntax; a blank one finds nothing. */
  search(
    query: string,
    options?: AgentReadOptions & {
      /** 1..1000. @default 10 */
      readonly limit?: number | undefined
    },
  ): Promise<readonly SearchHit[]>
  /** Keeps steps under the condition they are for; other steps are the next version. @returns the id of that version */
  learnProcedure(trigger: string, steps: readonly string[]): Promise<string>
  /** The procedures that fit a situation, in any words, best first; none when none does. */
  recallProcedure(
    trigger: string,
    options?: AgentReadOptions & {
      /** 1..1000. @default 10 */
      readonly limit?: number | undefined
    },
  ): Promise<readonly AgentProcedure[]>
  /** The events, facts and procedures of the scope as a document of format_version 1. */
  export(): Promise<ApolliaDocument>
  /**
   * Brings a document in, all or nothing; what has an id or a name that is there is left alone. `replace` takes away first
   * what the scope holds. @returns how many rows were written @throws InputError INVALID_RECORD naming the row
   */
  importData(document: unknown, options?: { readonly replace?: boolean | undefined }): Promise<number>
}

const procedures = 10

const listed = ['limit', 'reason'] as const

function textOf(document: unknown): string {
  try {
    return JSON.stringify(document) ?? ''
  } catch (cause) {
    const message = 'importData: the document can not be written as JSON. Give what export() answers, or parsed JSON.'
    throw new InputError({ code: 'INVALID_RECORD', message, cause })
  }
}

/**
 * What one agent sees of a memory: its scope is bound here, and no call can leave it.
 *
 * @example
 * const helper = agentMemory(memory, { agentId: 'helper' })
 * await helper.remember('client.dupont.budget', '15000', { source: 'crm', confidence: 0.9 })
 * @throws InputError SCOPE_REQUIRED, UNKNOWN_FIELD
 */
export function agentMemory(
  engine: Pick<MemoryEngine, 'scoped'>,
  scope: Scope,
  options?: AgentMemoryOptions,
): AgentMemory {
  const { readOnly } = checkedOptions('agentMemory', options, ['readOnly'])
  const view = engine.scoped(scope, { readOnly })
  const who = view.scope.agentId === undefined ? {} : { actor: view.scope.agentId }

  async function recallEntry(key: string, options?: AgentReadOptions): Promise<AgentEntry | null> {
    const { reason } = checkedOptions('recall', options, ['reason'])
    const fact = await view.facts.entry(key, { reason, ...who })
    return fact && { ...fact, source: textOfSource(fact.source) }
  }

  return {
    scope: view.scope,
    async record(content, options) {
      const given = checkedOptions('record', options, ['importance', 'task', 'metadata', 'expiresIn'])
      const { record } = await view.episodes.record(content, { ...given, ...who })
      return record.id
    },
    async remember(key, value, options) {
      const { source, confidence } = checkedOptions('remember', options, ['source', 'confidence'])
      const given = source === undefined ? {} : { source: sourceOfText(source) }
      const { record, outcome } = await view.facts.set(key, value, { confidence, ...given, ...who })
      return { id: record.id, outcome }
    },
    async recall(key, options) {
      const value = (await recallEntry(key, options))?.value ?? null
      return value === null || typeof value === 'string' ? value : JSON.stringify(value)
    },
    recallEntry,
    async recallAll(options) {
      const { entries } = await view.facts.all({ ...checkedOptions('recallAll', options, listed), ...who })
      return entries.map(({ scope: _scope, ...fact }) => ({ ...fact, source: textOfSource(fact.source) }))
    },
    async forget(key) {
      return (await view.facts.delete(key, who)).deleted > 0
    },
    async search(query, options) {
      const given = checkedOptions('search', options, listed)
      return (await view.search(query, { kinds: ['semantic', 'episodic'], ...given, ...who })).results
    },
    async learnProcedure(trigger, steps) {
      return (await view.skills.learn({ trigger, steps }, who)).record.id
    },
    async recallProcedure(trigger, options) {
      const { limit = procedures, reason } = checkedOptions('recallProcedure', options, listed)
      const { matches } = await view.skills.match(trigger, { limit, reason, ...who })
      return matches.map(({ id, score, reliability, skill }) => {
        const { name, trigger: when, steps, version, successes, failures } = skill
        return { id, name, trigger: when, steps, version, successes, failures, score, reliability }
      })
    },
    async export() {
      const pieces: string[] = []
      for await (const piece of view.export({ format: 'apollia-1', ...who })) pieces.push(piece)
      return JSON.parse(pieces.join('')) as ApolliaDocument
    },
    async importData(document, options) {
      const { replace } = checkedOptions('importData', options, ['replace'])
      const mode = replace === true ? 'replace' : 'merge'
      const { imported, updated } = await view.import(textOf(document), { format: 'apollia-1', mode, ...who })
      return imported + updated
    },
  }
}

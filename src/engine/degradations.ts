import { AsyncLocalStorage } from 'node:async_hooks'
import type { StoreDegradation } from '../contract/index.ts'
import { BackendError } from '../errors/index.ts'
import type { Degradation } from './api/searching.ts'

/** Tells what a store could not do to the call that asked for it. */
export interface DegradationWatch {
  /** For `open` of the store. What is heard outside of calls goes to nobody: `health` shows it. */
  readonly hear: (degradation: StoreDegradation) => void
  /** Runs a call, or a step of one. What is heard meanwhile is added to `heard`. */
  during<T>(heard: StoreDegradation[], call: () => Promise<T>): Promise<T>
  /** What was heard in the call under way. */
  heard(): readonly StoreDegradation[]
}

/** Of all engines: a store that several were given tells one of them. */
const calls = new AsyncLocalStorage<StoreDegradation[]>()

/** One that costs every promise a little, so that only stores get it that can degrade. */
export function createDegradationWatch(): DegradationWatch {
  return {
    hear: (degradation) => void calls.getStore()?.push(degradation),
    during: (heard, call) => calls.run(heard, call),
    heard: () => calls.getStore() ?? [],
  }
}

/**
 * What was not found may be with the durable layer that is away: an answer that can't say so must not say that it is not there.
 * @throws BackendError BACKEND_UNAVAILABLE where that layer was done without
 */
export function refuseLack(verb: string, heard: readonly StoreDegradation[]): void {
  const lack = heard.find(({ stage }) => stage === 'cold')
  if (!lack) return
  throw new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `${verb}: part of the store is away, and what it holds would be left out. ${lack.message}`,
  })
}

/** Each thing once: the same stage with the same code is one. */
export function eachOnce(degraded: readonly Degradation[]): Degradation[] {
  return [...new Map(degraded.map((one) => [`${one.stage} ${one.code}`, one])).values()]
}

/** An answer with what was heard while it was made, beside what it says itself. */
export function withDegradations<Answer>(answer: Answer, heard: readonly Degradation[]): Answer {
  if (heard.length === 0 || typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer
  const own = (answer as { readonly degraded?: readonly Degradation[] }).degraded ?? []
  return { ...answer, degraded: eachOnce([...own, ...heard]) }
}

import type { StoreDegradation } from '../contract/index.ts'
import { InputError, MnemeError } from '../errors/index.ts'
import { parseWith, reading } from '../model/index.ts'
import type { Access } from './access.ts'
import type { MemoryVerbs } from './api/memory-engine.ts'
import type { Core } from './core.ts'
import { type DegradationWatch, refuseLack, withDegradations } from './degradations.ts'
import { journalRead } from './journal-lines.ts'
import type { CoreParts } from './open-core.ts'
import type { Verb } from './verb.ts'
import { verbs } from './verbs/index.ts'

/** Opens what verbs run on, or refuses. */
export interface Runtime {
  /** Runs work on the open services; closing waits for its end. */
  run<T>(work: (core: Core) => Promise<T>): Promise<T>
  core(): Promise<Core>
  /** What the services are made of, known before they are open. */
  readonly parts: CoreParts
}

/** Positional arguments and any number of option objects, as one input. */
function inputOf(verb: Verb, args: readonly unknown[]): Record<string, unknown> {
  const { positional } = verb
  const input: Record<string, unknown> = {}
  for (const options of args.slice(positional.length)) {
    if (options === undefined) continue
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      const expected = [...positional, 'options'].join(', ')
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: `${verb.name}(${expected}): options must be an object.`,
      })
    }
    for (const [name, value] of Object.entries(options)) setOwn(input, name, value)
  }
  for (const [i, name] of positional.entries()) if (args[i] !== undefined) input[name] = args[i]
  return input
}

/** A key named __proto__ stays a key, and is refused as unknown. */
function setOwn(input: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') input[name] = value
  else Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Runs one verb of the table: checks its input, keeps count of work in hand. A stream fails at its first step. */
export function runVerb(runtime: Runtime, access: Access, verb: Verb, given: () => Record<string, unknown>): unknown {
  if (verb.streams) return stream(runtime, access, verb, given)
  return (async () => {
    const input = parseWith(verb.input, reading(verb.name, given), verb.name)
    ;(input as { signal?: AbortSignal }).signal?.throwIfAborted()
    if (verb.unopened) {
      const instead = await verb.unopened({ parts: runtime.parts, open: () => runtime.core() }, input)
      if (instead) return instead
    }
    return runtime.run(async (core) => {
      const answer = async () => {
        const output = await verb.run({ core, access }, input)
        if (verb.shows) journalRead(core, access, verb.name, input, verb.shows(output))
        return verb.present ? verb.present(output) : output
      }
      return core.degradations ? tellingDegradations(core.degradations, verb, answer) : answer()
    })
  })()
}

/** The answer with what its store could not do; where it has no place for that it is whole or a failure (LIF-9, LIF-10). */
async function tellingDegradations(watch: DegradationWatch, verb: Verb, answer: () => Promise<unknown>) {
  const heard: StoreDegradation[] = []
  const answered = await watch.during(heard, answer).catch((error: unknown) => {
    if (MnemeError.is(error, 'RECORD_NOT_FOUND')) refuseLack(verb.name, heard)
    throw error
  })
  if (verb.whole || answered === null || Array.isArray(answered)) refuseLack(verb.name, heard)
  return verb.asKept ? answered : withDegradations(answered, heard)
}

// A stream is not counted as work in hand: nobody may ever read it on, and closing must not wait for that.
async function* stream(runtime: Runtime, access: Access, verb: Verb, given: () => Record<string, unknown>) {
  const input = parseWith(verb.input, reading(verb.name, given), verb.name)
  const core = await runtime.core()
  const streaming = verb.run({ core, access }, input) as AsyncIterable<unknown>
  if (verb.shows) journalRead(core, access, verb.name, input, [])
  yield* core.degradations ? whole(core.degradations, verb, streaming) : streaming
}

/** A stream ends with a failure before it leaves something out. */
async function* whole(watch: DegradationWatch, verb: Verb, streaming: AsyncIterable<unknown>) {
  const steps = streaming[Symbol.asyncIterator]()
  const heard: StoreDegradation[] = []
  const next = () => watch.during(heard, () => steps.next())
  try {
    for (let step = await next(); ; step = await next()) {
      refuseLack(verb.name, heard)
      if (step.done) return
      yield step.value
    }
  } finally {
    await steps.return?.()
  }
}

type Method = (...args: unknown[]) => unknown

/** The methods of an engine or a view, made from the table; those of a group in an object of its own. */
export function bindVerbs(runtime: Runtime, access: Access, caretaker: boolean): MemoryVerbs {
  const methods: Record<string, Method | Record<string, Method>> = {}
  for (const verb of verbs as readonly Verb[]) {
    if (verb.caretaker && !caretaker) continue
    const method: Method = (...args) => runVerb(runtime, access, verb, () => inputOf(verb, args))
    const [group = '', name] = verb.name.split('.')
    if (name === undefined) methods[group] = method
    else methods[group] = { ...(methods[group] as Record<string, Method> | undefined), [name]: method }
  }
  return methods as unknown as MemoryVerbs
}

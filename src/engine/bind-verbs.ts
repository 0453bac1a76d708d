import { ClosedError, InputError } from '../errors/index.ts'
import { parseWith } from '../model/index.ts'
import type { Access } from './access.ts'
import type { Core } from './core.ts'
import type { MemoryVerbs } from './memory-engine.ts'
import type { Verb } from './verb.ts'
import { verbs } from './verbs/index.ts'

/** Opens what verbs run on, or refuses; told when a verb begins and ends so that closing can wait. */
export interface Runtime {
  core(): Promise<Core>
  begin(): () => void
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
    Object.assign(input, options)
  }
  positional.forEach((name, i) => {
    if (args[i] !== undefined) input[name] = args[i]
  })
  return input
}

/** Runs one verb of the table: checks its input, keeps count of work in hand. A stream fails at its first step. */
export function runVerb(runtime: Runtime, access: Access, verb: Verb, given: () => Record<string, unknown>): unknown {
  if (verb.streams) return stream(runtime, access, verb, given)
  return (async () => {
    const input = parseWith(verb.input, given(), verb.name)
    ;(input as { signal?: AbortSignal }).signal?.throwIfAborted()
    const end = runtime.begin()
    try {
      return await verb.run({ core: await runtime.core(), access }, input)
    } finally {
      end()
    }
  })()
}

async function* stream(runtime: Runtime, access: Access, verb: Verb, given: () => Record<string, unknown>) {
  const input = parseWith(verb.input, given(), verb.name)
  const end = runtime.begin()
  try {
    yield* verb.run({ core: await runtime.core(), access }, input) as AsyncIterable<unknown>
  } finally {
    end()
  }
}

/** The methods of an engine or a view, made from the table. */
export function bindVerbs(runtime: Runtime, access: Access, caretaker: boolean): MemoryVerbs {
  const methods = (verbs as readonly Verb[])
    .filter((verb) => caretaker || !verb.caretaker)
    .map(
      (verb) => [verb.name, (...args: unknown[]) => runVerb(runtime, access, verb, () => inputOf(verb, args))] as const,
    )
  return Object.fromEntries(methods) as unknown as MemoryVerbs
}

export function engineClosed(): ClosedError {
  return new ClosedError({ code: 'ENGINE_CLOSED', message: 'This memory was closed. Open it again with openMemory.' })
}

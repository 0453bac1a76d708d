import { ClosedError, InputError } from '../errors/index.ts'
import { parseWith } from '../model/index.ts'
import type { Access } from './access.ts'
import type { Core } from './core.ts'
import type { MemoryVerbs } from './memory-engine.ts'
import type { Call, Verb } from './verb.ts'
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

/** Runs one verb of the table: checks its input, keeps count of work in hand. */
export function runVerb(runtime: Runtime, access: Access, verb: Verb, given: Record<string, unknown>): unknown {
  const input = parseWith(verb.input, given, verb.name)
  const { signal } = input as { signal?: AbortSignal }
  if (isStreaming(verb)) return stream(runtime, access, verb, input)
  return (async () => {
    signal?.throwIfAborted()
    const end = runtime.begin()
    try {
      const call: Call = { core: await runtime.core(), access }
      return await verb.run(call, input)
    } finally {
      end()
    }
  })()
}

function isStreaming(verb: Verb): boolean {
  return verb.name === 'export' || verb.name === 'watch'
}

async function* stream(runtime: Runtime, access: Access, verb: Verb, input: Record<string, unknown>) {
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
    .map((verb) => [verb.name, (...args: unknown[]) => guarded(runtime, access, verb, args)] as const)
  return Object.fromEntries(methods) as unknown as MemoryVerbs
}

/** Bad input rejects the promise like any other failure; streams fail at their first step. */
function guarded(runtime: Runtime, access: Access, verb: Verb, args: readonly unknown[]): unknown {
  if (isStreaming(verb)) return runVerb(runtime, access, verb, inputOf(verb, args))
  return (async () => runVerb(runtime, access, verb, inputOf(verb, args)))()
}

export function engineClosed(): ClosedError {
  return new ClosedError({ code: 'ENGINE_CLOSED', message: 'This memory was closed. Open it again with openMemory.' })
}

import { readFile } from 'node:fs/promises'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { z } from 'zod'
import { InputError } from '../../errors/index.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** A bound on a figure from 0 to 1. */
export const share = z.coerce.number('must be a number from 0 to 1').min(0).max(1)

/** What a measurement of a file of JSON lines writes to. */
export interface BenchOutput {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

function parsed(args: readonly string[], options: Options) {
  const output = { type: 'string', short: 'o' } as const
  const help = { type: 'boolean', short: 'h' } as const
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { ...options, output, help } })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'the arguments can not be read'
    throw new InputError({ code: 'INVALID_ARGUMENT', message: `bench: ${why}`, cause })
  }
}

/**
 * The arguments of `mneme bench` by name, not checked yet; null when help was asked for.
 * @param names of the positional ones
 * @throws InputError INVALID_ARGUMENT for an option that there is not, or one argument too many
 */
export function readArguments(
  args: readonly string[],
  names: readonly string[],
  options: Options,
): Record<string, unknown> | null {
  const { values, positionals } = parsed(args, options)
  const { help, ...given } = values
  if (help) return null
  if (positionals.length > names.length) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `bench: takes ${names.map((name) => `one ${name}`).join(' and ')}. See --help.`,
    })
  }
  return { ...Object.fromEntries(names.map((name, i) => [name, positionals[i]])), ...given }
}

/** The text of a file of JSON lines. @throws InputError INVALID_ARGUMENT */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'bench: the file can not be read. Give the path of a file of JSON lines.',
      cause,
    })
  }
}

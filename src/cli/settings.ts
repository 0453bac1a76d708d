import { mkdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type MemoryEngine, type OpenMemoryOptions, openMemory } from '../engine/index.ts'
import { SetupError } from '../errors/index.ts'
import type { CliIo } from './io.ts'
import type { OutputMode } from './output/answer.ts'

/** What the options of every command say. */
export interface Settings {
  /** The file that holds the memory. */
  readonly db: string
  /** The same as it was typed; undefined when it was not. */
  readonly typedDb: string | undefined
  readonly output: OutputMode
  /** False: search by text only. */
  readonly embedder: boolean
  /** The language model that the environment names; undefined: rules alone. */
  readonly model: ModelSettings | undefined
}

interface ModelSettings {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey?: string
}

/** The model at MNEME_MODEL_URL, the only thing that makes the command line use a network. @throws SetupError BAD_CONFIG without its name */
export function modelSettings({ env }: CliIo): ModelSettings | undefined {
  const { MNEME_MODEL_URL: baseUrl, MNEME_MODEL: model, MNEME_MODEL_KEY: apiKey } = env
  if (!baseUrl) return undefined
  if (!model) {
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: 'MNEME_MODEL_URL is set and MNEME_MODEL is not: name the model, such as qwen3:8b.',
    })
  }
  return { baseUrl, model, ...(apiKey ? { apiKey } : {}) }
}

async function modelOf({ model }: Settings): Promise<Pick<OpenMemoryOptions, 'model'>> {
  if (!model) return {}
  const { openAICompatible } = await import('../models/openai-compatible/index.ts')
  return { model: openAICompatible(model) }
}

function defaultPath(): string {
  return join(homedir(), '.mneme', 'memory.db')
}

/** A store that ends with the command: for trying things out. */
export const inMemory = ':memory:'

/** `--db`, else MNEME_DB, else a file in the home folder; absolute. */
export function dbPath(given: string | undefined, io: CliIo): string {
  const path = given ?? (io.env.MNEME_DB || defaultPath())
  if (path === inMemory) return path
  // Where no shell did it, as in a file of settings.
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path)
}

/** Whether there is something at the path of the memory. What can't be told is left to the store, which has the words. */
export async function isThere({ db }: Settings): Promise<boolean> {
  if (db === inMemory) return true
  return stat(db).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )
}

/** A look at a memory that nobody made yet must not make it. */
export function noMemoryYet({ db }: Settings): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `no memory at ${db} yet; mneme init makes one, mneme add too.`,
    details: { path: db },
  })
}

export async function openWith(settings: Settings): Promise<MemoryEngine> {
  if (settings.db === defaultPath()) {
    // Nobody else's business. If it can't be made, the store says so in better words.
    await mkdir(dirname(settings.db), { recursive: true, mode: 0o700 }).catch(() => {})
  }
  return openMemory({
    path: settings.db,
    ...(settings.embedder ? {} : { embedder: false as const }),
    ...(await modelOf(settings)),
  })
}

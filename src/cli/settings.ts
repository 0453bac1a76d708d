import { mkdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import {
  type MemoryEngine,
  type OpenMemoryOptions,
  openMemory,
  parseStoreSpec,
  type StoreSpec,
} from '../engine/index.ts'
import { SetupError } from '../errors/index.ts'
import { refuse } from './input/option-values.ts'
import type { CliIo } from './io.ts'
import type { OutputMode } from './output/answer.ts'

/** What the options of every command say. */
export interface Settings {
  /** What holds the memory. */
  readonly store: StoreSpec
  /** The file, absolute, where it is one. */
  readonly db: string | undefined
  /** Options that say the same place again, as they were typed. */
  readonly typedPlace: TypedPlace
  readonly output: OutputMode
  /** False: search by text only. */
  readonly embedder: boolean
  /** The language model that the environment names; undefined: rules alone. */
  readonly model: ModelSettings | undefined
}

/** What was typed of where the memory is. */
export interface TypedPlace {
  readonly db?: string | undefined
  readonly store?: string | undefined
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

function absolute(path: string): string {
  if (path === inMemory) return path
  // Where no shell did it, as in a file of settings.
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path)
}

/** Where the memory is: `--store` or `--db`, else MNEME_STORE, else MNEME_DB, else a file in the home folder. @throws SetupError, InputError */
export function placeOfMemory(typed: TypedPlace, io: CliIo): Pick<Settings, 'store' | 'db' | 'typedPlace'> {
  if (typed.db !== undefined && typed.store !== undefined) {
    throw refuse('--db and --store', 'name two places. Give one of them')
  }
  const env = { ...io.env, MNEME_DB: typed.db ?? (io.env.MNEME_DB || defaultPath()) }
  const named = typed.db === undefined ? (typed.store ?? io.env.MNEME_STORE) : undefined
  const label = typed.store === undefined ? (typed.db === undefined ? 'MNEME_STORE' : '--db') : '--store'
  const store = parseStoreSpec(named || 'sqlite', env, label)
  return { store, db: store.file === undefined ? undefined : absolute(store.file), typedPlace: typed }
}

/** Whether the file of the memory is there, if it is one. What can't be told is left to the store, which has the words. */
export async function isThere({ db }: Settings): Promise<boolean> {
  if (db === undefined || db === inMemory) return true
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
    details: { path: db ?? '' },
  })
}

export async function openWith(settings: Settings): Promise<MemoryEngine> {
  const { db, store } = settings
  if (db === defaultPath()) {
    // Nobody else's business. If it can't be made, the store says so in better words.
    await mkdir(dirname(db), { recursive: true, mode: 0o700 }).catch(() => {})
  }
  return openMemory({
    ...(db === undefined ? { store: await store.make() } : { path: db }),
    ...(settings.embedder ? {} : { embedder: false as const }),
    ...(await modelOf(settings)),
  })
}

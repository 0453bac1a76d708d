import type { MemoryStore } from '../../contract/index.ts'
import { SetupError } from '../../errors/index.ts'

/** Variables by name, such as `process.env`. One that is empty counts as not there. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A store that a text names, checked as far as it can be without asking it. */
export interface StoreSpec {
  /** For people: where it is, without user and password. */
  readonly name: string
  /** The file, where the store is one: what asks for files can look for it. */
  readonly file?: string | undefined
  /** Connects to nothing: that comes with `open`. */
  make(): Promise<MemoryStore>
}

/** What follows the scheme, and what it is called in messages: a variable or an option. */
interface Given {
  readonly rest: string
  readonly label: string
  readonly env: Environment
}

function refuse(label: string, why: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `${label}: ${why}` })
}

function sqliteSpec({ rest, label, env }: Given): StoreSpec {
  const file = rest || env.MNEME_DB
  if (!file) throw refuse(label, 'sqlite needs a file: write sqlite:./memory.db, or set MNEME_DB.')
  if (/^\/\/[^/]/.test(file))
    throw refuse(label, 'sqlite takes a path, not a host: write sqlite:./memory.db or sqlite:/home/ann/memory.db.')
  return {
    name: file,
    file,
    async make() {
      const { sqlite } = await import('../../stores/sqlite/index.ts')
      return sqlite({ path: file })
    },
  }
}

function memorySpec({ rest, label }: Given): StoreSpec {
  if (rest !== '') throw refuse(label, 'memory keeps nothing and has no place: write memory: and nothing behind it.')
  return {
    name: 'memory',
    async make() {
      const { memory } = await import('../../stores/memory/index.ts')
      return memory()
    },
  }
}

const schemes: Readonly<Record<string, (given: Given) => StoreSpec>> = { memory: memorySpec, sqlite: sqliteSpec }

/** What `parseStoreSpec` reads, for help texts. */
export const storeSpecShapes = 'sqlite:FILE or memory:'

/**
 * Reads what names a store. What the text leaves out comes from the environment.
 * @param label what it is called in messages: a variable or an option
 * @throws SetupError BAD_CONFIG, which never shows the text: it may hold a password
 */
export function parseStoreSpec(text: string, env: Environment, label = 'MNEME_STORE'): StoreSpec {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+]*)(?::(.*))?$/is.exec(text) ?? []
  const name = scheme.toLowerCase()
  const read = Object.hasOwn(schemes, name) ? schemes[name] : undefined
  if (!read) throw refuse(label, `names no store that is known. Write ${storeSpecShapes}.`)
  return read({ rest, label, env })
}

/** Makes the store that a text names. Nothing connects before its `open`. @throws SetupError BAD_CONFIG */
export async function storeFromSpec(text: string, env: Environment, label?: string): Promise<MemoryStore> {
  return parseStoreSpec(text, env, label).make()
}

/** The store that the environment names: MNEME_STORE, else the file MNEME_DB; null when neither is set. @throws SetupError BAD_CONFIG */
export function environmentSpec(env: Environment): StoreSpec | null {
  if (env.MNEME_STORE) return parseStoreSpec(env.MNEME_STORE, env)
  return env.MNEME_DB ? parseStoreSpec('sqlite', env, 'MNEME_DB') : null
}

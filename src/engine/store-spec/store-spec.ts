import type { MemoryStore } from '../../contract/index.ts'
import { refuse } from './refuse.ts'
import { type Environment, type Given, memorySpec, type StoreSpec, sqliteSpec } from './schemes.ts'
import { boltSpec, postgresSpec } from './server-specs.ts'
import { tieredSpec } from './tiered-spec.ts'

type Reader = (given: Given) => StoreSpec

const boltSchemes = ['bolt', 'bolt+s', 'bolt+ssc', 'neo4j', 'neo4j+s', 'neo4j+ssc']

/** Of stores that keep what they acknowledge by themselves. */
const durable: Readonly<Record<string, Reader>> = {
  sqlite: sqliteSpec,
  postgres: postgresSpec,
  postgresql: postgresSpec,
  ...Object.fromEntries(boltSchemes.map((scheme) => [scheme, boltSpec])),
}

const schemes: Readonly<Record<string, Reader>> = {
  ...durable,
  memory: memorySpec,
  tiered: (given) => tieredSpec(given, (text) => read(text, given, durable)),
}

/** What `parseStoreSpec` reads, for help texts. */
export const storeSpecShapes = 'sqlite:FILE, postgres://…, bolt://…, tiered:STORE or memory:'

function looksLikeFile(text: string): boolean {
  return /^[.~/\\]|^[a-z]:[/\\]|\.(?:db|sqlite3?)$/i.test(text) && !text.includes('://')
}

function read(text: string, { env, label }: Omit<Given, 'rest'>, among: Readonly<Record<string, Reader>>): StoreSpec {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+]*)(?::(.*))?$/is.exec(text) ?? []
  const name = scheme.toLowerCase()
  const known = Object.hasOwn(among, name) ? among[name] : undefined
  if (!known && looksLikeFile(text))
    throw refuse(label, 'a file is written with sqlite: before it: sqlite:./memory.db.')
  if (!known) throw refuse(label, `names no store that is known here. Write ${storeSpecShapes}.`)
  return known({ text, rest, env, label })
}

/**
 * Reads what names a store. What the text leaves out comes from the environment.
 * @param label what it is called in messages: a variable or an option
 * @throws SetupError BAD_CONFIG, which never shows the text: it may hold a password
 */
export function parseStoreSpec(text: string, env: Environment, label = 'MNEME_STORE'): StoreSpec {
  return read(text, { text, env, label }, schemes)
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

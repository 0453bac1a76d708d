import { isAddress, type MemoryStore } from '../../contract/index.ts'
import { refuse } from './refuse.ts'

/** Variables by name, such as `process.env`. One that is empty counts as not there. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A store that a text names, checked as far as it can be without asking it. */
export interface StoreSpec {
  /** For people: where it is, without user and password. */
  readonly name: string
  /** The file, where the store is one: what asks for files can look for it. */
  readonly file?: string | undefined
  /** Connects to nothing: that comes with `open`. @throws SetupError BAD_CONFIG */
  make(): Promise<MemoryStore>
}

/** A text that names a store. */
export interface Given {
  /** All of it. */
  readonly text: string
  /** What follows the scheme. */
  readonly rest: string
  /** What it is called in messages: a variable or an option. */
  readonly label: string
  readonly env: Environment
}

export function sqliteSpec({ rest, label, env }: Given): StoreSpec {
  const file = rest || env.MNEME_DB
  if (!file) throw refuse(label, 'sqlite needs a file: write sqlite:./memory.db, or set MNEME_DB.')
  if (/^\/\/[^/]/.test(file))
    throw refuse(label, 'sqlite takes a path, not a host: write sqlite:./memory.db or sqlite:/home/ann/memory.db.')
  if (isAddress(file)) {
    const from = rest === '' && label !== '--db' ? 'MNEME_DB' : label
    throw refuse(from, 'is an address and no file. Give it to --store, or set MNEME_STORE to it.')
  }
  return {
    name: file,
    file,
    async make() {
      const { sqlite } = await import('../../stores/sqlite/index.ts')
      return sqlite({ path: file })
    },
  }
}

export function memorySpec({ rest, label }: Given): StoreSpec {
  if (rest !== '') throw refuse(label, 'memory keeps nothing and has no place: write memory: and nothing behind it.')
  return {
    name: 'memory',
    async make() {
      const { memory } = await import('../../stores/memory/index.ts')
      return memory()
    },
  }
}

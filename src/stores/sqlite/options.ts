import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { isAddress, knownOptions } from '../../contract/index.ts'
import { SetupError } from '../../errors/index.ts'
import type { DriverOption } from './drivers/resolve.ts'

export interface SqliteOptions {
  /** The file; folders on the way are made, `~` is the home folder. `:memory:` is a store that ends with `close`. */
  readonly path: string
  /**
   * `normal` survives a crash of the process; a power cut may take the last commits, never the file. `full` waits for
   * the disk at every commit.
   * @default 'normal'
   */
  readonly durability?: 'normal' | 'full' | undefined
  /** The class of `better-sqlite3`, or a driver of your own. @default node:sqlite, else @photostructure/sqlite */
  readonly driver?: DriverOption | undefined
  /** How long a write waits for other processes, milliseconds. @default 10000 */
  readonly busyTimeoutMs?: number | undefined
}

export interface CheckedOptions {
  readonly path: string
  readonly durability: 'normal' | 'full'
  readonly driver: DriverOption | undefined
  readonly busyTimeoutMs: number
}

function refuse(message: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `sqlite store: ${message}.` })
}

function resolvePath(path: unknown): string {
  if (typeof path !== 'string' || path.trim() === '') throw refuse('path: must be a file name or ":memory:"')
  if (path.includes('\u0000')) throw refuse('path: must not contain NUL')
  if (path === ':memory:') return path
  if (isAddress(path)) {
    throw refuse('path: is an address and no file. Set MNEME_STORE to it, say --store, or give the store it names')
  }
  return path === '~' || path.startsWith('~/') ? resolve(homedir(), `.${path.slice(1)}`) : resolve(path)
}

const names = { path: true, durability: true, driver: true, busyTimeoutMs: true } as const

/** @throws SetupError BAD_CONFIG */
export function checkOptions(given: SqliteOptions): CheckedOptions {
  const options = knownOptions('sqlite store', given, names)
  const { durability = 'normal', busyTimeoutMs = 10_000, driver } = options
  if (durability !== 'normal' && durability !== 'full') throw refuse('durability: must be "normal" or "full"')
  if (!Number.isFinite(busyTimeoutMs) || busyTimeoutMs < 0) throw refuse('busyTimeoutMs: must be 0 or more')
  return { path: resolvePath(options.path), durability, driver, busyTimeoutMs }
}

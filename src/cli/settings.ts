import { homedir } from 'node:os'
import { join } from 'node:path'
import { type MemoryEngine, openMemory } from '../engine/index.ts'
import type { CliIo } from './io.ts'
import type { OutputMode } from './output/answer.ts'

/** What the options of every command say. */
export interface Settings {
  /** The file that holds the memory. */
  readonly db: string
  readonly output: OutputMode
  /** False: search by text only. */
  readonly embedder: boolean
}

/** `--db`, else MNEME_DB, else a file in the home folder. */
export function dbPath(given: string | undefined, io: CliIo): string {
  return given ?? (io.env.MNEME_DB || join(homedir(), '.mneme', 'memory.db'))
}

export function openWith(settings: Settings): Promise<MemoryEngine> {
  return openMemory({ path: settings.db, ...(settings.embedder ? {} : { embedder: false as const }) })
}

import type { KeyedReadOptions } from './kv.ts'
import type { WriteOptions } from './options.ts'
import type { Degradable } from './searching.ts'
import type { SkillOutcome } from './skills.ts'
import type { WriteMethod, Written } from './write-results.ts'

/** What became of one SKILL.md. */
export interface SkillImportRow {
  /** From the folder that was named. */
  readonly path: string
  readonly outcome: SkillOutcome | 'failed'
  /** Of the skill, when it could be read. */
  readonly name?: string
  readonly id?: string
  /** Why it failed. */
  readonly reason?: string
  /** Fields of the file's head that have no place in a skill. */
  readonly ignored?: readonly string[]
  /** The other files of its folder that are kept with it, by their path in it. */
  readonly files?: readonly string[]
}

export interface SkillImportResult extends Written {
  /** Skills that are new or have a new version. */
  readonly imported: number
  /** Skills that were there already, just so. */
  readonly unchanged: number
  readonly failed: number
  readonly rows: readonly SkillImportRow[]
  /** Files that are not kept: of no skill, no text, beyond 256 KiB (1 MiB all of a skill), hidden, or links. */
  readonly leftOut: readonly string[]
  /** Absent when nothing was written. */
  readonly tx?: string | undefined
}

export interface SkillExportOptions extends KeyedReadOptions {
  /** Replace a SKILL.md that says something else. @default false */
  readonly overwrite?: boolean | undefined
}

export interface SkillExportRow {
  readonly name: string
  /** From the folder that was named. */
  readonly path: string
  readonly outcome: 'written' | 'unchanged' | 'failed'
  readonly reason?: string
}

export interface SkillExportResult extends Degradable {
  readonly written: number
  readonly unchanged: number
  readonly failed: number
  readonly rows: readonly SkillExportRow[]
}

/** Skills as a folder of folders, each with a SKILL.md. It is the engine that reads and writes files, never a view. */
export interface SkillFolderVerbs {
  /**
   * Learns every SKILL.md in a folder and the folders in it, in one transaction. One that can't be read is reported and hides
   * no other. Texts beside a SKILL.md, such as scripts, are kept in `metadata.skillFiles` of its memory and go on with its next
   * versions; `leftOut` names what is not kept. Symbolic links are not followed.
   * @throws InputError INVALID_ARGUMENT when the folder can't be read
   */
  readonly import: WriteMethod<[folder: string], Omit<WriteOptions, 'idempotencyKey'>, SkillImportResult>
  /**
   * Writes the newest version of every skill of the exact scope to `folder/<name>/SKILL.md`, with the files that are kept with
   * it beside it; `import` finds the same again. Whether a script may be run is not kept. Other files are left alone.
   * @throws InputError INVALID_ARGUMENT when the folder can't be made
   */
  export(folder: string, options?: SkillExportOptions): Promise<SkillExportResult>
}

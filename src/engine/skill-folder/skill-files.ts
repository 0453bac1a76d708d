import { isJsonObject, type JsonValue, type MemoryRecord, type Metadata } from '../../model/index.ts'

/** Where the other files of a skill's folder are kept: in the metadata of its memory, text by path. */
const field = 'skillFiles'

export const skillFileName = 'SKILL.md'

/** Text by path, with `/` between. */
export type SkillFiles = Readonly<Record<string, string>>

function isPlainName(name: string): boolean {
  return (
    name !== '' &&
    name !== '__proto__' &&
    !name.startsWith('.') &&
    !/[\\:*?"<>|\p{Cc}]/u.test(name) &&
    name.length <= 255
  )
}

/** Whether a path leads to a file below a skill's folder, on every system, and is not its SKILL.md. */
export function isBelow(path: string): boolean {
  const names = path.split('/')
  return names.length <= 16 && names.every(isPlainName) && path.toLowerCase() !== skillFileName.toLowerCase()
}

/** The files that a memory keeps; whatever else is in that place is none. */
export function skillFilesOf({ metadata }: Pick<MemoryRecord, 'metadata'>): SkillFiles {
  const kept = Object.hasOwn(metadata, field) ? metadata[field] : undefined
  if (!isJsonObject(kept)) return {}
  const entries = Object.entries(kept).filter(([path, text]) => isBelow(path) && typeof text === 'string')
  return Object.fromEntries(entries) as SkillFiles
}

/** Metadata that keeps these files and no others. */
export function withSkillFiles(metadata: Metadata, files: SkillFiles): Metadata {
  const { [field]: _, ...rest } = metadata
  return Object.keys(files).length === 0 ? rest : { ...rest, [field]: files as JsonValue }
}

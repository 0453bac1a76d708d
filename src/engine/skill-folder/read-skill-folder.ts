import { constants, type Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../errors/index.ts'
import { maxContentBytes } from '../../model/index.ts'

/** The file that makes a folder a skill. */
export const skillFileName = 'SKILL.md'

const maxDepth = 16
const maxFiles = 100_000

/** A SKILL.md that was found: its text, or why there is none. */
export interface FoundSkillFile {
  /** From the folder that was named, with `/` between. */
  readonly path: string
  readonly text: string | null
  readonly reason?: string
}

export interface FoundSkills {
  readonly files: readonly FoundSkillFile[]
  /** Everything else: no place is in a skill for it. */
  readonly leftOut: readonly string[]
}

function unreadable(path: string, why: string, cause?: unknown): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `The folder ${path} ${why}. Name a folder that holds folders with a ${skillFileName} each.`,
    details: { path },
    cause,
  })
}

/** The text of a plain file. A link that took its place since it was listed is not followed. */
async function readText(path: string): Promise<Pick<FoundSkillFile, 'text' | 'reason'>> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const about = await file.stat()
    if (!about.isFile()) return { text: null, reason: 'is no plain file' }
    if (about.size > maxContentBytes) return { text: null, reason: 'is larger than 1 MiB' }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile()) }
  } finally {
    await file.close()
  }
}

async function readFound(path: string): Promise<Pick<FoundSkillFile, 'text' | 'reason'>> {
  try {
    return await readText(path)
  } catch (error) {
    if (error instanceof TypeError) return { text: null, reason: 'is no UTF-8 text' }
    return { text: null, reason: `can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` }
  }
}

/**
 * Every SKILL.md in a folder and the folders in it, up to 16 levels down, in the order of their names; in a skill's own
 * folder no further ones are looked for. Symbolic links are not followed (SKL-18).
 * @throws InputError INVALID_ARGUMENT when the folder can't be read
 */
export async function readSkillFolder(folder: string, signal?: AbortSignal): Promise<FoundSkills> {
  const files: FoundSkillFile[] = []
  const leftOut: string[] = []

  async function entriesOf(path: string): Promise<Dirent[]> {
    const entries = await readdir(join(folder, path), { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async function walk(path: string, depth: number, isSkill: boolean): Promise<void> {
    signal?.throwIfAborted()
    let entries: Dirent[]
    try {
      entries = await entriesOf(path)
    } catch (cause) {
      if (path === '') throw unreadable(folder, `can't be read (${(cause as NodeJS.ErrnoException).code})`, cause)
      leftOut.push(`${path}/`)
      return
    }
    const own = isSkill ? undefined : entries.find((entry) => entry.name === skillFileName && entry.isFile())
    for (const entry of entries) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry === own) files.push({ path: below, ...(await readFound(join(folder, below))) })
      else if (entry.isDirectory() && depth < maxDepth) await walk(below, depth + 1, isSkill || own !== undefined)
      else leftOut.push(entry.isDirectory() ? `${below}/` : below)
      if (files.length + leftOut.length > maxFiles) throw unreadable(folder, `holds more than ${maxFiles} files`)
    }
  }

  const about = await stat(folder).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(folder, `can't be read (${cause.code})`, cause)
  })
  if (!about.isDirectory()) throw unreadable(folder, 'is a file')
  await walk('', 0, false)
  return { files, leftOut }
}

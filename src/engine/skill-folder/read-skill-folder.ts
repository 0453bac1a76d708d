import { constants, type Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../errors/index.ts'
import { maxContentBytes } from '../../model/index.ts'
import { isBelow, skillFileName } from './skill-files.ts'

const maxDepth = 16
const maxFound = 100_000
/** Of one file beside a SKILL.md, and of all of a skill. */
const maxFileBytes = 262_144
const maxFilesBytes = maxContentBytes
/** Never part of a skill, beside everything that is hidden. */
const passedOver = new Set(['node_modules', '__pycache__'])

/** A SKILL.md that was found: its text, or why there is none. */
export interface FoundSkillFile {
  /** From the folder that was named, with `/` between. */
  readonly path: string
  readonly text: string | null
  readonly reason?: string
  /** The other files of its folder, by their path in it. */
  readonly files: Readonly<Record<string, string>>
}

export interface FoundSkills {
  readonly skills: readonly FoundSkillFile[]
  /** What belongs to no skill, is no text, too large, hidden or a link. */
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

type Text = Pick<FoundSkillFile, 'text' | 'reason'>

/** The text of a plain file. A link that took its place since it was listed is not followed. */
async function readText(path: string, most: number): Promise<Text> {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const about = await file.stat()
      if (!about.isFile()) return { text: null, reason: 'is no plain file' }
      if (about.size > most) return { text: null, reason: `is larger than ${most / 1024} KiB` }
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile())
      return text.includes('\u0000') ? { text: null, reason: 'is no text' } : { text }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof TypeError) return { text: null, reason: 'is no UTF-8 text' }
    return { text: null, reason: `can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` }
  }
}

/** A skill whose folder is being read. */
interface Reading {
  /** Of its folder, with `/` at the end; empty for the folder that was named. */
  readonly at: string
  readonly files: Record<string, string>
  bytes: number
}

/**
 * Every SKILL.md in a folder and the folders in it, up to 16 levels down, in the order of their names, with the texts beside
 * it: what lies below a SKILL.md is part of that skill. Symbolic links are not followed (SKL-18).
 * @throws InputError INVALID_ARGUMENT when the folder can't be read
 */
export async function readSkillFolder(folder: string, signal?: AbortSignal): Promise<FoundSkills> {
  const skills: FoundSkillFile[] = []
  const leftOut: string[] = []

  async function entriesOf(path: string): Promise<Dirent[] | null> {
    try {
      const entries = await readdir(join(folder, path), { withFileTypes: true })
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    } catch (cause) {
      if (path === '') throw unreadable(folder, `can't be read (${(cause as NodeJS.ErrnoException).code})`, cause)
      return null
    }
  }

  async function keep(skill: Reading, path: string): Promise<boolean> {
    const own = path.slice(skill.at.length)
    if (!isBelow(own)) return false
    const { text } = await readText(join(folder, path), Math.min(maxFileBytes, maxFilesBytes - skill.bytes))
    if (text === null) return false
    skill.bytes += Buffer.byteLength(text)
    skill.files[own] = text
    return true
  }

  async function walk(path: string, depth: number, within: Reading | null): Promise<void> {
    signal?.throwIfAborted()
    const entries = await entriesOf(path)
    if (entries === null) {
      leftOut.push(`${path}/`)
      return
    }
    const at = path === '' ? '' : `${path}/`
    const main = within ? undefined : entries.find(({ name }) => name === skillFileName)
    const isSkill = main?.isFile() ?? false
    const skill: Reading | null = isSkill ? { at, files: {}, bytes: 0 } : within
    if (isSkill && skill) {
      const text = await readText(join(folder, at, skillFileName), maxContentBytes)
      skills.push({ path: at + skillFileName, ...text, files: skill.files })
    }
    for (const entry of entries) {
      const below = at + entry.name
      if (isSkill && entry === main) continue
      const isHidden = entry.name.startsWith('.') || passedOver.has(entry.name)
      if (entry.isDirectory() && depth < maxDepth && !isHidden) await walk(below, depth + 1, skill)
      else if (!(skill && entry.isFile() && !isHidden && (await keep(skill, below)))) {
        leftOut.push(entry.isDirectory() ? `${below}/` : below)
      }
      if (skills.length + leftOut.length > maxFound) throw unreadable(folder, `holds more than ${maxFound} files`)
    }
  }

  const about = await stat(folder).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(folder, `can't be read (${cause.code})`, cause)
  })
  if (!about.isDirectory()) throw unreadable(folder, 'is a file')
  await walk('', 0, null)
  return { skills, leftOut }
}

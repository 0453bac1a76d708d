import { randomUUID } from 'node:crypto'
import { lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SkillExportRow } from '../api/skill-folder.ts'
import { skillFileName } from './read-skill-folder.ts'

type Written = Pick<SkillExportRow, 'outcome' | 'reason'>

async function kindOf(path: string): Promise<'none' | 'folder' | 'file' | 'other'> {
  const about = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (about === null) return 'none'
  if (about.isDirectory()) return 'folder'
  return about.isFile() ? 'file' : 'other'
}

/** Whole or not at all: written beside its place, then put there. */
async function writeWhole(folder: string, text: string): Promise<void> {
  const draft = join(folder, `.${skillFileName}.${randomUUID()}`)
  const file = await open(draft, 'wx')
  try {
    await file.writeFile(text)
    await file.close()
    await rename(draft, join(folder, skillFileName))
  } catch (error) {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  }
}

/** Writes one SKILL.md into a folder of its own. What is there and says something else stays, unless it is to be replaced (SKL-19). */
async function write(root: string, name: string, text: string, overwrite: boolean): Promise<Written> {
  const folder = join(root, name)
  const there = await kindOf(folder)
  if (there === 'none') await mkdir(folder)
  else if (there !== 'folder') return { outcome: 'failed', reason: 'a file or a link is in the place of its folder' }
  const path = join(folder, skillFileName)
  const before = await kindOf(path)
  if (before === 'folder' || before === 'other') {
    return { outcome: 'failed', reason: 'a folder or a link is in its place' }
  }
  if (before === 'file') {
    if ((await readFile(path, 'utf8')) === text) return { outcome: 'unchanged' }
    if (!overwrite) return { outcome: 'failed', reason: 'there is another text already; overwrite replaces it' }
  }
  await writeWhole(folder, text)
  return { outcome: 'written' }
}

export async function writeSkillFile(root: string, name: string, text: string, overwrite: boolean): Promise<Written> {
  try {
    return await write(root, name, text, overwrite)
  } catch (error) {
    return { outcome: 'failed', reason: `can't be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` }
  }
}

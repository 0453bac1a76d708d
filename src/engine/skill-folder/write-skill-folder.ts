import { randomUUID } from 'node:crypto'
import { lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SkillExportRow } from '../api/skill-folder.ts'

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
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `.${name.slice(0, 200)}.${randomUUID()}`)
  const file = await open(draft, 'wx')
  try {
    await file.writeFile(text)
    await file.close()
    await rename(draft, join(folder, name))
  } catch (error) {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  }
}

/** Writes a text where the path leads from the root, over plain folders alone. What is there and says something else stays, unless it is to be replaced. */
async function write(root: string, path: string, text: string, overwrite: boolean): Promise<Written> {
  const names = path.split('/')
  const name = names.pop() as string
  let folder = root
  for (const one of names) {
    folder = join(folder, one)
    const there = await kindOf(folder)
    if (there === 'none') await mkdir(folder)
    else if (there !== 'folder')
      return { outcome: 'failed', reason: `${path}: a file or a link is in the place of a folder` }
  }
  const before = await kindOf(join(folder, name))
  if (before === 'folder' || before === 'other') {
    return { outcome: 'failed', reason: `${path}: a folder or a link is in its place` }
  }
  if (before === 'file') {
    if ((await readFile(join(folder, name), 'utf8')) === text) return { outcome: 'unchanged' }
    if (!overwrite)
      return { outcome: 'failed', reason: `${path}: another text is there already; overwrite replaces it` }
  }
  await writeWhole(folder, name, text)
  return { outcome: 'written' }
}

/** Writes the files of a skill, by their paths from the root; the first that can't be written ends it (SKL-19). */
export async function writeSkillFolder(
  root: string,
  files: readonly (readonly [path: string, text: string])[],
  overwrite: boolean,
): Promise<Written> {
  let outcome: Written['outcome'] = 'unchanged'
  for (const [path, text] of files) {
    try {
      const written = await write(root, path, text, overwrite)
      if (written.outcome === 'failed') return written
      if (written.outcome === 'written') outcome = 'written'
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
      return { outcome: 'failed', reason: `${path}: can't be written (${code})` }
    }
  }
  return { outcome }
}

import { randomUUID } from 'node:crypto'
import { link, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { BackendError, InputError } from '../../errors/index.ts'
import { runAsideOrThrow } from './aside.ts'
import { retryWhileBusy } from './retry.ts'
import type { Session } from './session.ts'

function exists(path: string): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `backup: ${path} exists already. Nothing was written; choose another path.`,
    details: { path },
  })
}

async function refuseExisting(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found !== null) throw exists(path)
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

function asBackendError(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EEXIST') return exists(path)
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error
  return new BackendError({
    code: 'BACKEND_FAILED',
    message: `backup: ${path} can't be written (${code}). Check the folder and its permissions.`,
    details: { path },
    cause: error,
  })
}

/** Writes the copy under another name first, so that it appears under its own only when it is whole and on the disk. */
async function copyTo(session: Session, path: string, signal: AbortSignal | undefined): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    await retryWhileBusy({ operation: 'backup', timeoutMs: session.busyTimeoutMs, signal }, () =>
      runAsideOrThrow(session, [{ text: 'VACUUM INTO ?', values: [draft], rows: false }]),
    )
    await flush(draft)
    // A link and not a rename: it fails when the name was taken meanwhile.
    await link(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

/** A consistent, compact copy. */
export async function backup(session: Session, target: string, signal: AbortSignal | undefined): Promise<void> {
  const path = resolve(target)
  try {
    await refuseExisting(path)
    await mkdir(dirname(path), { recursive: true })
    await copyTo(session, path, signal)
  } catch (error) {
    throw asBackendError(path, error)
  }
}

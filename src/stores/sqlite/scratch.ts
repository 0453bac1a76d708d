import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import type { Scratch } from '../../contract/index.ts'
import { BackendError } from '../../errors/index.ts'

const pieceBytes = 2 ** 18

function asBackendError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  return new BackendError({
    code: 'BACKEND_FAILED',
    message: `sqlite store: there is no room for a file beside the data (${code}). ${full ? 'Free some space.' : 'Check the folder and its permissions.'}`,
    cause: error,
  })
}

/** A file beside the database that has no name any more: it goes with its last handle, whatever becomes of the process. */
export async function openScratch(path: string): Promise<Scratch> {
  const place = `${path}-${randomUUID()}.tmp`
  try {
    const file = await open(place, 'wx+', 0o600)
    await unlink(place)
    return {
      async write(text) {
        await file.writeFile(text).catch((error: unknown) => {
          throw asBackendError(error)
        })
      },
      read: () => file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8', highWaterMark: pieceBytes }),
      close: () => file.close(),
    }
  } catch (error) {
    throw asBackendError(error)
  }
}

import { open, rm } from 'node:fs/promises'
import { InputError } from '../errors/index.ts'
import type { Scope } from '../model/index.ts'
import { type Access, narrowAccess } from './access.ts'
import type { MemoryEngine, MemoryVerbs, MemoryView } from './api/memory-engine.ts'
import type { ViewOptions } from './api/options.ts'
import type { ExportOptions } from './api/portability.ts'
import { bindVerbs, type Runtime } from './bind-verbs.ts'
import { engineClosed } from './engine-closed.ts'
import { metadataOf } from './metadata.ts'
import { type CoreParts, closeCore, openCore } from './open-core.ts'
import { isRecordPiece } from './portable-lines.ts'

/** A view: the verbs with a ceiling, made from the access it is asked of. */
function createView(runtime: Runtime, access: Access, scope: Scope, options: ViewOptions): MemoryView {
  const bounded = narrowAccess(access, scope, options)
  return { ...bindVerbs(runtime, bounded, false), scope: bounded.ceiling as Scope }
}

function unwritable(path: string, cause: unknown): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `exportToFile: the file ${String(path)} can't be written. Choose a path in a folder that exists, where no file is yet and there is room.`,
    cause,
  })
}

/** Writes an export whole or not at all; the file is made when the first line is there, so that a refused call leaves none. */
async function exportToFile(verbs: MemoryVerbs, path: string, options?: ExportOptions) {
  const lines = verbs.export(options)[Symbol.asyncIterator]()
  let line = await lines.next()
  const file = await open(path, 'wx').catch(async (cause: unknown) => {
    await lines.return?.()
    throw unwritable(path, cause)
  })
  let records = 0
  try {
    for (; !line.done; line = await lines.next()) {
      const { value } = line
      await file.appendFile(value).catch((cause: unknown) => {
        throw unwritable(path, cause)
      })
      if (isRecordPiece(value)) records++
    }
    await file.close()
  } catch (error) {
    await lines.return?.()
    await file.close()
    await rm(path, { force: true })
    throw error
  }
  return { path, records }
}

/** The time from an opening to a stop, with the calls that are under way in it. */
interface Session {
  readonly opened: ReturnType<typeof openCore>
  inHand: number
  readonly idle: (() => void)[]
}

/** An engine over its parts. Nothing is opened before the first use. */
export function createEngine(parts: CoreParts, defaultScope: Scope | undefined): MemoryEngine {
  let session: Session | null = null
  let stopping: Promise<void> = Promise.resolve()
  let closed = false

  /** The session that a call belongs to: calls made after a stop belong to the next one, which opens when that has ended. */
  function current(): Session {
    if (closed) throw engineClosed()
    if (session) return session
    const open = () => openCore(parts)
    // Also after a stop that failed: whoever stopped was told.
    const mine: Session = { opened: stopping.then(open, open), inHand: 0, idle: [] }
    // A failed opening is forgotten, so that the next call tries again.
    mine.opened.catch(() => {
      if (session === mine) session = null
    })
    session = mine
    return mine
  }

  const runtime: Runtime = {
    async run(work) {
      const mine = current()
      mine.inHand++
      try {
        return await work((await mine.opened).core)
      } finally {
        mine.inHand--
        if (mine.inHand === 0) for (const wake of mine.idle.splice(0)) wake()
      }
    },
    async core() {
      return (await current().opened).core
    },
    parts,
  }

  async function stopSession(mine: Session): Promise<void> {
    const open = await mine.opened.catch(() => null)
    open?.close()
    if (mine.inHand > 0) await new Promise<void>((resolve) => mine.idle.push(resolve))
    if (open) await closeCore(open.core)
  }

  /** One stop at a time: whoever stops meanwhile waits for the same end. */
  function stop(): Promise<void> {
    if (session) {
      stopping = stopSession(session)
      session = null
    }
    return stopping
  }

  async function close(): Promise<void> {
    closed = true
    await stop()
  }

  const access: Access = { defaultScope, alsoRead: [], readOnly: false }
  const verbs = bindVerbs(runtime, access, true)
  return {
    ...(verbs as MemoryEngine),
    metadata: metadataOf(parts),
    scoped: (scope, options = {}) => createView(runtime, access, scope, options),
    exportToFile: (path, options) => exportToFile(verbs, path, options),
    async start() {
      await runtime.core()
    },
    stop,
    close,
    [Symbol.asyncDispose]: close,
  }
}

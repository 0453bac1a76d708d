import { type FileHandle, open } from 'node:fs/promises'
import { InputError } from '../errors/index.ts'
import type { Scope } from '../model/index.ts'
import { type Access, narrowAccess } from './access.ts'
import { bindVerbs, type Runtime } from './bind-verbs.ts'
import { engineClosed } from './engine-closed.ts'
import type { ExportOptions, MemoryEngine, MemoryVerbs, MemoryView, ViewOptions } from './memory-engine.ts'
import { type CoreParts, closeCore, openCore } from './open-core.ts'

/** A view: the verbs with a ceiling, made from the access it is asked of. */
function createView(runtime: Runtime, access: Access, scope: Scope, options: ViewOptions): MemoryView {
  const bounded = narrowAccess(access, scope, options)
  return { ...bindVerbs(runtime, bounded, false), scope: bounded.ceiling as Scope }
}

/** Writes an export; the file is made when the first line is there, so that a refused call leaves none. */
async function exportToFile(verbs: MemoryVerbs, path: string, options?: ExportOptions) {
  const lines = verbs.export(options)[Symbol.asyncIterator]()
  let line = await lines.next()
  let file: FileHandle
  try {
    file = await open(path, 'wx')
  } catch (cause) {
    await lines.return?.()
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `exportToFile: the file ${String(path)} can't be made. Choose a path in a folder that exists, where no file is yet.`,
      cause,
    })
  }
  let records = 0
  try {
    for (; !line.done; line = await lines.next()) {
      await file.write(line.value)
      if (line.value.startsWith('{"type":"record"')) records++
    }
  } finally {
    await lines.return?.()
    await file.close()
  }
  return { path, records }
}

/** An engine over its parts. Nothing is opened before the first use. */
export function createEngine(parts: CoreParts, defaultScope: Scope | undefined): MemoryEngine {
  let opening: ReturnType<typeof openCore> | null = null
  let stopping: Promise<void> = Promise.resolve()
  let closed = false
  let inHand = 0
  let idle: (() => void)[] = []

  const runtime: Runtime = {
    async core() {
      if (closed) throw engineClosed()
      if (opening === null) {
        const mine = stopping.then(() => openCore(parts))
        opening = mine
        // A failed opening is forgotten, so that the next call tries again.
        mine.catch(() => {
          if (opening === mine) opening = null
        })
      }
      return (await opening).core
    },
    begin() {
      if (closed) throw engineClosed()
      inHand++
      return () => {
        inHand--
        if (inHand > 0) return
        for (const wake of idle) wake()
        idle = []
      }
    },
  }

  async function stopOpened(opened: ReturnType<typeof openCore>): Promise<void> {
    const open = await opened.catch(() => null)
    open?.close()
    if (inHand > 0) await new Promise<void>((resolve) => idle.push(resolve))
    if (open) await closeCore(open.core)
  }

  /** One stop at a time: whoever stops meanwhile waits for the same end. */
  function stop(): Promise<void> {
    const opened = opening
    if (opened) {
      opening = null
      stopping = stopOpened(opened)
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

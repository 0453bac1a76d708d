import { open } from 'node:fs/promises'
import type { Scope } from '../model/index.ts'
import { type Access, narrowAccess } from './access.ts'
import { bindVerbs, engineClosed, type Runtime } from './bind-verbs.ts'
import type { Core } from './core.ts'
import type { ExportOptions, MemoryEngine, MemoryVerbs, MemoryView, ViewOptions } from './memory-engine.ts'
import { type CoreParts, closeCore, openCore } from './open-core.ts'

/** A view: the verbs with a ceiling, made from the access it is asked of. */
function createView(runtime: Runtime, access: Access, scope: Scope, options: ViewOptions): MemoryView {
  const bounded = narrowAccess(access, scope, options)
  return { ...bindVerbs(runtime, bounded, false), scope: bounded.ceiling as Scope }
}

async function exportToFile(verbs: MemoryVerbs, path: string, options?: ExportOptions) {
  const file = await open(path, 'wx')
  let lines = 0
  try {
    for await (const line of verbs.export(options)) {
      await file.write(line)
      if (line.startsWith('{"type":"record"')) lines++
    }
  } finally {
    await file.close()
  }
  return { path, records: lines }
}

/** An engine over its parts. Nothing is opened before the first use. */
export function createEngine(parts: CoreParts, defaultScope: Scope | undefined): MemoryEngine {
  let core: Promise<Core> | null = null
  let closed = false
  let inHand = 0
  let idle: (() => void) | null = null

  const runtime: Runtime = {
    async core() {
      if (closed) throw engineClosed()
      if (core === null) {
        const opening = openCore(parts)
        core = opening
        // A failed opening is forgotten, so that the next call tries again.
        opening.catch(() => {
          if (core === opening) core = null
        })
      }
      return core
    },
    begin() {
      if (closed) throw engineClosed()
      inHand++
      return () => {
        inHand--
        if (inHand === 0) idle?.()
      }
    },
  }

  async function stop(): Promise<void> {
    const opened = core
    if (!opened) return
    if (inHand > 0) await new Promise<void>((resolve) => (idle = resolve))
    idle = null
    if (core !== opened) return
    core = null
    await closeCore(await opened)
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

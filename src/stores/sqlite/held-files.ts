import { readdirSync, statSync } from 'node:fs'

/** Shared by every copy of this module in the process. */
const registry = Symbol.for('mneme.sqlite.held')

function counts(): Map<string, number> {
  const holder = globalThis as { [registry]?: Map<string, number> }
  holder[registry] ??= new Map()
  return holder[registry]
}

/** What tells a file from every other, whatever its name. */
export function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

/** Notes that a connection to the file is open in this process. @returns takes the note back, once */
export function holdFile(path: string): () => void {
  const identity = identityOf(path)
  if (identity === null) return () => {}
  const held = counts()
  held.set(identity, (held.get(identity) ?? 0) + 1)
  let over = false
  return () => {
    if (over) return
    over = true
    const count = (held.get(identity) ?? 1) - 1
    if (count === 0) held.delete(identity)
    else held.set(identity, count)
  }
}

/** Worker threads and other libraries have notes of their own, if any, but share the process's open files. */
function isOpenInProcess(identity: string): boolean {
  const folder = '/proc/self/fd'
  return readdirSync(folder).some((name) => {
    try {
      return identityOf(`${folder}/${name}`) === identity
    } catch {
      // Closed since the folder was read, as the one for reading it.
      return false
    }
  })
}

/**
 * True when SQLite may hold locks on the file in this process. Then nothing else here may open it: closing any other
 * descriptor of a file drops all POSIX locks the process has on it, and with them SQLite's.
 */
export function isHeldHere(path: string): boolean {
  const identity = identityOf(path)
  if (identity === null) return false
  return counts().has(identity) || (process.platform === 'linux' && isOpenInProcess(identity))
}

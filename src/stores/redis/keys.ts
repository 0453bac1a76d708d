import { createHash } from 'node:crypto'
import { ownerKey, type Scope } from '../../model/index.ts'

/** Of anything that may be long or hold any character: 22 characters that are equal for equal texts only. */
export function digest(text: string): string {
  return createHash('sha256').update(JSON.stringify(text)).digest('base64url').slice(0, 22)
}

/** An id as part of a key or member of an index: half surrogates would otherwise all become one character. */
export function idText(id: string): string {
  return JSON.stringify(id).slice(1, -1)
}

export function idFromText(text: string): string {
  return JSON.parse(`"${text}"`) as string
}

/**
 * The names of all keys. Those of an owner share a hash tag, so that in a cluster they lie on one node; pointers lie where their id
 * puts them.
 */
export interface Keys {
  readonly epoch: string
  readonly queue: string
  /** The owners with entries: all, of one user, of one application. */
  owners(part?: { readonly userId?: string | undefined; readonly appId?: string | undefined }): string
  /** What counts of an id: who may fill it, and whose entry it is. */
  pointer(id: string): string
  /** What an owner's keys begin with. */
  owner(scope: Scope): string
  entry(owner: string, id: string): string
  /** The ids of an owner, or of one session. */
  index(owner: string, sessionId?: string | undefined): string
}

/** @param behind names the store behind */
export function makeKeys(prefix: string, behind: string | undefined): Keys {
  // 1 is the form of what is kept: a later form must not meet entries of this one.
  const root = behind === undefined ? `${prefix}:1` : `${prefix}:1:${digest(behind)}`
  return {
    epoch: `${root}:epoch`,
    queue: `${root}:queue`,
    owners({ userId, appId } = {}) {
      if (userId !== undefined) return `${root}:owners:user:${digest(userId)}`
      return appId === undefined ? `${root}:owners` : `${root}:owners:app:${digest(appId)}`
    },
    pointer: (id) => `${root}:id:${idText(id)}`,
    owner: (scope) => `${root}:{${digest(ownerKey(scope))}}`,
    entry: (owner, id) => `${owner}:entry:${idText(id)}`,
    index: (owner, sessionId) => (sessionId === undefined ? `${owner}:all` : `${owner}:session:${digest(sessionId)}`),
  }
}

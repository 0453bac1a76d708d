import { createHash } from 'node:crypto'
import { ownerKey, type Scope, scopeKey } from '../../model/index.ts'

/** Longest text that an index of every server holds. */
const longest = 400

/** Text for an indexed property: itself where it can be one, else a digest of it. Equal for equal texts and for no others. */
export function token(text: string): string {
  const plain = text.length <= longest && text.isWellFormed() && !text.includes('\u0000') && !text.startsWith('sha256:')
  // As JSON, lone surrogates are told apart.
  return plain ? text : `sha256:${createHash('sha256').update(JSON.stringify(text)).digest('hex')}`
}

/** A store in a database that may hold several: nodes name it, unique names begin with it. */
export interface Partition {
  readonly store: string
  /** A unique name within the store. */
  uid(text: string): string
}

export function partition(namespace: string): Partition {
  return { store: namespace, uid: (text) => `${namespace}/${token(text)}` }
}

const dimensions = ['appId', 'userId', 'agentId', 'sessionId'] as const

function namespacePath(segments: readonly string[]): string {
  return token(JSON.stringify(segments))
}

/** What of a scope nodes have, so that scope filters can be asked of the server. */
export type ScopeColumns = Readonly<Record<string, string | readonly string[]>>

export function scopeColumns({ store, uid }: Partition, scope: Scope): ScopeColumns {
  const segments = scope.namespace ?? []
  return {
    store,
    owner: uid(ownerKey(scope)),
    scope: scopeKey(scope),
    scopeId: uid(scopeKey(scope)),
    ...Object.fromEntries(
      dimensions.flatMap((name) => (scope[name] === undefined ? [] : [[name, token(scope[name])]])),
    ),
    namespaces: segments.map((_, i) => namespacePath(segments.slice(0, i + 1))),
  }
}

export { dimensions, namespacePath }

/** The name of a key or a digest in its exact scope and kind. */
export function claimId(
  { uid }: Partition,
  type: 'key' | 'content',
  scope: Scope,
  kind: string,
  value: string,
): string {
  return uid(JSON.stringify([type, scopeKey(scope), kind, value]))
}

/** An id such that the order of UTF-16, which servers may have, is that of code points (`compareIds`). */
export function sortable(id: string): string {
  return id.replace(
    /[\u{e000}-\u{10ffff}]/gu,
    (char) => `\ue000${(char.codePointAt(0) as number).toString(16).padStart(6, '0')}`,
  )
}

/** Whole numbers travel as integers; without this the driver makes floats of them. */
export function number(value: number): number | bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : value
}

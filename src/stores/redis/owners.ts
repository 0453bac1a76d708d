import { isWithin, ownerFromKey, ownerKey, type Scope, type ScopeFilter, type ScopeRule } from '../../model/index.ts'
import type { Connection } from './connection.ts'
import type { Command, Reply } from './driver.ts'
import { idFromText, type Keys } from './keys.ts'
import { command, members, noteMember, tidy } from './scripts.ts'

/** Ids that may have an entry: all of an owner, or those of one session. */
export interface Source {
  readonly owner: string
  readonly index: string
}

/** The part of a scope that makes its owner. */
function ownerOf({ appId, userId }: Scope): Scope {
  return { ...(appId === undefined ? {} : { appId }), ...(userId === undefined ? {} : { userId }) }
}

/** Commands that note the owners of entries, so that reads find them whose scope leaves the user or the application open. */
export function registrations(keys: Keys, incoming: readonly { readonly scope: Scope }[], ttlMs: number): Command[] {
  const owners = new Map(incoming.map(({ scope }) => [ownerKey(scope), ownerOf(scope)]))
  return [...owners].flatMap(([member, { userId, appId }]) =>
    [{}, ...(userId === undefined ? [] : [{ userId }]), ...(appId === undefined ? [] : [{ appId }])].map((part) =>
      command({ script: noteMember, keys: [keys.owners(part)], args: [String(ttlMs), member] }),
    ),
  )
}

export function makeOwners(connection: Connection, keys: Keys) {
  async function membersOf(operation: string, key: string): Promise<readonly string[]> {
    const [reply] = await connection.all(operation, [command({ script: members, keys: [key], args: [] })])
    return (reply as readonly Reply[]).map(String)
  }

  /** The owners that a rule lets through. */
  async function ownersOf(operation: string, { type, scope }: ScopeRule): Promise<readonly Scope[]> {
    const known = ownerOf(scope)
    if (type === 'exact' || (known.appId !== undefined && known.userId !== undefined)) return [known]
    const noted = await membersOf(operation, keys.owners(known))
    return noted.map(ownerFromKey).filter((owner) => isWithin(owner, known))
  }

  return {
    /** Where to look for what a filter lets through, each place once. */
    async sources(operation: string, { rules }: ScopeFilter): Promise<readonly Source[]> {
      const asked: readonly ScopeRule[] = rules === 'all' ? [{ type: 'within', scope: {} }] : rules
      const found = new Map<string, Source>()
      for (const rule of asked) {
        for (const scope of await ownersOf(operation, rule)) {
          const owner = keys.owner(scope)
          const index = keys.index(owner, rule.scope.sessionId)
          found.set(index, { owner, index })
        }
      }
      // What a session has, its owner has as well.
      return [...found.values()].filter(
        ({ owner, index }) => index === keys.index(owner) || !found.has(keys.index(owner)),
      )
    },

    async ids(operation: string, { index }: Source): Promise<readonly string[]> {
      return (await membersOf(operation, index)).map(idFromText)
    },

    /** Takes ids out of an index that have no entry any more. */
    async tidy(operation: string, { owner, index }: Source, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return
      const entries = ids.map((id) => keys.entry(owner, id))
      const texts = entries.map((entry) => entry.slice(keys.entry(owner, '').length))
      await connection.all(operation, [command({ script: tidy, keys: [index, ...entries], args: texts })])
    },
  }
}

export type Owners = ReturnType<typeof makeOwners>

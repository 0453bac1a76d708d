import type { HotAnswer, HotLease, HotPut, HotTombstone, Touch } from '../../contract/index.ts'
import { expiryOf, matchesScope, type Scope, type ScopeFilter } from '../../model/index.ts'
import type { Connection } from './connection.ts'
import type { Argument, Command, Reply } from './driver.ts'
import {
  type Candidate,
  candidateFields,
  type Entry,
  entryFields,
  readCandidate,
  readEntry,
  readSession,
  recordFields,
  tombstoneFields,
} from './entry.ts'
import { idText, type Keys } from './keys.ts'
import { registrations } from './owners.ts'
import type { Claim, Pointers } from './pointers.ts'
import { command, dropEntry, putEntry, readFields, tidy, touchEntry } from './scripts.ts'

/** A record or tombstone on its way in. */
interface Incoming {
  readonly id: string
  readonly scope: Scope
  readonly version: number
  readonly lease: string | undefined
  readonly ttlMs: number
  readonly gone: boolean
  fields(lease: string): readonly Argument[]
}

export function makeEntries(connection: Connection, keys: Keys, pointers: Pointers, ttlMs: number) {
  function readCommand(owner: string, id: string): Command {
    const key = keys.entry(owner, id)
    return { key, args: ['HMGET', key, ...entryFields] }
  }

  /** What lies under an owner's ids, whether it counts or not; null where nothing does. */
  async function read(operation: string, owner: string, ids: readonly string[]): Promise<readonly (Entry | null)[]> {
    const commands = ids.map((id) => readCommand(owner, id))
    return (await connection.all(operation, commands)).map(readEntry)
  }

  /** The same for choosing among many: as little as will do, without the analysis and in one answer. */
  async function candidates(
    operation: string,
    owner: string,
    ids: readonly string[],
    asked: { readonly records: boolean; readonly vectors: boolean },
  ): Promise<readonly (Candidate | null)[]> {
    const names = candidateFields.slice(0, asked.records ? undefined : asked.vectors ? 4 : 2)
    const entries = ids.map((id) => keys.entry(owner, id))
    const [reply] = await connection.all(operation, [command({ script: readFields, keys: entries, args: names })])
    return (reply as readonly Reply[]).map(readCandidate)
  }

  async function get(scope: ScopeFilter, ids: readonly string[]): Promise<readonly HotAnswer[]> {
    const found = await pointers.read('get', ids)
    const places = found.flatMap(({ owner, lease }, i) => (owner === '' || lease === '' ? [] : [i]))
    const replies = await connection.all(
      'get',
      places.map((i) => readCommand(found[i]?.owner as string, ids[i] as string)),
    )
    const answers: HotAnswer[] = found.map(({ lease }) => ({ state: 'miss', lease }))
    for (const [n, i] of places.entries()) {
      const entry = readEntry(replies[n])
      if (entry === null || entry.lease !== found[i]?.lease) continue
      if (entry.stored === null) {
        if (matchesScope(scope, entry.scope)) answers[i] = { state: 'gone' }
      } else if (entry.stored.record.id === ids[i] && matchesScope(scope, entry.stored.record.scope)) {
        answers[i] = { state: 'hit', stored: entry.stored }
      }
    }
    return answers
  }

  async function put(operation: string, incoming: readonly Incoming[]): Promise<readonly boolean[]> {
    if (incoming.length === 0) return []
    const owners = incoming.map(({ scope }) => keys.owner(scope))
    const claims = incoming.map(({ id, lease, ttlMs: own }, i): Claim => {
      // Of no use any more: the lease goes back, and nothing is put.
      if (own <= 0) return { id, lease: lease ?? '', owner: '', ttlMs }
      return { id, lease, owner: owners[i] as string, ttlMs }
    })
    const [leases] = await Promise.all([
      pointers.settle(operation, claims),
      connection.all(
        operation,
        registrations(
          keys,
          incoming.filter(({ gone }) => !gone),
          ttlMs,
        ),
      ),
    ])
    const places = leases.flatMap((lease, i) => (lease === '' ? [] : [i]))
    const commands = places.map((i) => {
      const { id, scope, version, gone, fields: fieldsOf, ttlMs: own } = incoming[i] as Incoming
      const [owner, lease] = [owners[i] as string, leases[i] as string]
      const indexes = [
        keys.index(owner),
        ...(scope.sessionId === undefined ? [] : [keys.index(owner, scope.sessionId)]),
      ]
      return command({
        script: putEntry,
        keys: [keys.entry(owner, id), ...indexes],
        args: [
          idText(id),
          lease.slice(0, lease.lastIndexOf('/') + 1),
          String(version),
          gone ? '1' : '0',
          String(own),
          ...fieldsOf(lease),
        ],
      })
    })
    const replies = await connection.all(operation, commands)
    const kept: boolean[] = incoming.map(() => false)
    for (const [n, i] of places.entries()) kept[i] = replies[n] === 1
    return kept
  }

  return {
    read,
    candidates,
    get,

    putIfNewer: (entries: readonly HotPut[]) =>
      put(
        'putIfNewer',
        entries.map(({ stored, lease }): Incoming => {
          const { id, scope, version } = stored.record
          return {
            id,
            scope,
            version,
            lease,
            ttlMs: Math.min(ttlMs, Math.floor(expiryOf(stored.record) - Date.now())),
            gone: false,
            fields: (under) => recordFields(stored, under),
          }
        }),
      ),

    async remove(tombstones: readonly HotTombstone[]): Promise<void> {
      await put(
        'remove',
        tombstones.map((tombstone): Incoming => {
          const { id, scope, version, lease } = tombstone
          return { id, scope, version, lease, ttlMs, gone: true, fields: (under) => tombstoneFields(tombstone, under) }
        }),
      )
    },

    async release(leases: readonly HotLease[]): Promise<void> {
      if (leases.length === 0) return
      await pointers.settle(
        'release',
        leases.map(({ id, lease }): Claim => ({ id, lease, owner: '', ttlMs })),
      )
    },

    async evict(operation: string, ids: readonly string[]): Promise<void> {
      const owners = await pointers.evict(operation, ids)
      const there = ids.flatMap((id, i) => {
        const owner = owners[i] as string
        return owner === '' ? [] : [{ owner, member: idText(id), entry: keys.entry(owner, id) }]
      })
      const facts = await connection.all(
        operation,
        there.map(({ owner, member, entry }) =>
          command({ script: dropEntry, keys: [entry, keys.index(owner)], args: [member] }),
        ),
      )
      // Whoever put it again meanwhile stays in the index of the session.
      const mentions = there.flatMap(({ owner, member, entry }, i) => {
        const sessionId = readSession(facts[i])
        if (sessionId === undefined) return []
        return [command({ script: tidy, keys: [keys.index(owner, sessionId), entry], args: [member] })]
      })
      if (mentions.length > 0) await connection.all(operation, mentions)
    },

    async touch(touched: readonly Touch[]): Promise<void> {
      const owners = await connection.all(
        'touch',
        touched.map(({ id }) => ({ key: keys.pointer(id), args: ['HGET', keys.pointer(id), 'owner'] })),
      )
      const commands = touched.flatMap(({ id, at }, i) => {
        const owner = owners[i]
        if (owner === null || owner === undefined) return []
        return [command({ script: touchEntry, keys: [keys.entry(String(owner), id)], args: [String(at)] })]
      })
      await connection.all('touch', commands)
    },
  }
}

export type Entries = ReturnType<typeof makeEntries>

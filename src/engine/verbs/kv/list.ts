import { z } from 'zod'
import {
  allScopes,
  anyOf,
  exactly,
  type MemoryRecord,
  madeOnce,
  type Scope,
  type ScopeFilter,
  within,
} from '../../../model/index.ts'
import { keyedScopes, readScope } from '../../access.ts'
import type { KvListResult, KvNamespacesResult } from '../../api/kv.ts'
import { defaultEntries, type Made, made, nearestJudge } from '../../keyed.ts'
import { recordPage } from '../../record-page.ts'
import { argumentsDigest, decodeToken, encodeToken } from '../../tokens.ts'
import { type Call, cursorField, defineVerb, limitField, limitOf, readOptions } from '../../verb.ts'
import { entryOf } from './get.ts'
import { namespaceField, namespaceIn, parseNamespace, placeIn } from './place.ts'

/** Where an entry is found: `kv.get(namespace, key, { scope })`. */
interface Place {
  readonly scope: Scope
  readonly namespace: readonly string[]
  /** The lower, the nearer. */
  readonly distance: number
}

/** The scopes that a list of entries looks at, nearest first; null: every scope of the store. */
function scopesOf(call: Call, input: Parameters<typeof readScope>[1]): readonly Scope[] | null {
  if (!input.allScopes) return keyedScopes(call.access, input)
  readScope(call.access, input)
  return null
}

/** What a list is to show. */
interface Asked {
  readonly segments: readonly string[]
  /** What lies below the segments too. */
  readonly below: boolean
}

function fits(namespace: readonly string[], { segments, below }: Asked): boolean {
  const starts = segments.every((segment, i) => segment === namespace[i])
  return starts && (below || namespace.length === segments.length)
}

/** Seen from the nearest of the scopes that have it where it was asked for; null when none does. */
function placeOf(scopes: readonly Scope[] | null, at: Scope, asked: Asked): Place | null {
  if (scopes === null) {
    const { namespace = [], ...scope } = at
    return fits(namespace, asked) ? { scope, namespace, distance: 0 } : null
  }
  for (const [distance, scope] of scopes.entries()) {
    const namespace = namespaceIn(scope, at)
    if (namespace !== null && fits(namespace, asked)) return { scope, namespace, distance }
  }
  return null
}

function filterOf(scopes: readonly Scope[] | null, { segments, below }: Asked): ScopeFilter {
  if (scopes === null) return allScopes()
  return anyOf(scopes.map((scope) => (below ? within : exactly)(placeIn(scope, segments))))
}

const prefixField = madeOnce(() => z.union([z.literal(true), namespaceField()]).optional())

export const kvList = defineVerb({
  name: 'kv.list',
  summary: 'List the entries of a namespace, and with a prefix those below it.',
  positional: ['namespace'],
  input: () =>
    z.strictObject({
      namespace: namespaceField(),
      prefix: prefixField(),
      limit: limitField(),
      cursor: cursorField(),
      ...readOptions,
    }),
  writes: false,
  example: 'mneme kv list settings --user ann',
  ...made,
  async run(call, input): Promise<Made<KvListResult>> {
    const { core } = call
    const limit = limitOf(input.limit, defaultEntries)
    const { prefix } = input
    const segments = parseNamespace([...input.namespace, ...(prefix === true ? [] : (prefix ?? []))])
    const asked: Asked = { segments, below: prefix !== undefined }
    const scopes = scopesOf(call, input)
    const filter = filterOf(scopes, asked)
    const placed = ({ key, scope }: MemoryRecord) => (key === undefined ? null : placeOf(scopes, scope, asked))
    const { records, nextCursor } = await recordPage(core, filter, {
      query: { kinds: ['kv'], keyed: true, order: 'oldest', limit },
      digest: argumentsDigest('kv.list', input),
      cursor: input.cursor,
      signal: input.signal,
      judge: nearestJudge(
        core,
        filter,
        { kinds: ['kv'], shared: (scopes?.length ?? 1) > 1, signal: input.signal },
        (record) => {
          const place = placed(record)
          return place && { name: JSON.stringify([place.namespace, record.key]), distance: place.distance }
        },
      ),
    })
    const entries = records.map((record) => {
      const { namespace, scope } = placed(record) as Place
      return { namespace, key: record.key as string, ...entryOf(core, record), scope }
    })
    return { from: records, answer: { entries, ...(nextCursor === undefined ? {} : { nextCursor }) } }
  },
})

function compareNamespaces(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i] as string, b[i] as string]
    if (left !== right) return left < right ? -1 : 1
  }
  return a.length - b.length
}

export const kvNamespaces = defineVerb({
  name: 'kv.namespaces',
  summary: 'List the namespaces that hold entries.',
  positional: [],
  input: () =>
    z.strictObject({
      prefix: namespaceField().optional(),
      limit: limitField(),
      cursor: cursorField(),
      ...readOptions,
    }),
  writes: false,
  example: 'mneme kv namespaces --user ann',
  async run(call, input): Promise<KvNamespacesResult> {
    const { core } = call
    const limit = limitOf(input.limit, defaultEntries)
    const asked: Asked = { segments: parseNamespace(input.prefix ?? []), below: true }
    const scopes = scopesOf(call, input)
    const digest = argumentsDigest('kv.namespaces', input)
    const after =
      input.cursor === undefined
        ? undefined
        : decodeToken(core, input.cursor, digest, z.strictObject({ after: namespaceField() })).after
    const { counts } = await core.store.stats(
      filterOf(scopes, asked),
      { now: core.clock(), lifetimes: core.policies.lifetimes },
      { signal: input.signal },
    )
    const found = new Map<string, readonly string[]>()
    for (const { kind, status, scope } of counts) {
      const namespace = kind === 'kv' && status === 'live' ? placeOf(scopes, scope, asked)?.namespace : undefined
      if (namespace) found.set(JSON.stringify(namespace), namespace)
    }
    const sorted = [...found.values()]
      .sort(compareNamespaces)
      .filter((namespace) => after === undefined || compareNamespaces(namespace, after) > 0)
    const namespaces = sorted.slice(0, limit)
    const last = namespaces.at(-1)
    return {
      namespaces,
      ...(last && sorted.length > limit ? { nextCursor: encodeToken(core, digest, { after: last }) } : {}),
    }
  },
})

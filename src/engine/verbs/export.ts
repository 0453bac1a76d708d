import { z } from 'zod'
import {
  type AsOf,
  type Cursor,
  type ListPosition,
  type ListQuery,
  matchesQuery,
  orderValue,
  type StoredRecord,
} from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { exactly, formatInstant, type Link, type Scope, type ScopeFilter } from '../../model/index.ts'
import { apolliaKinds, apolliaPieces } from '../../transfer/index.ts'
import { keyedScopes, readScope } from '../access.ts'
import { conflictKind } from '../conflict-steps.ts'
import { listAll, listPage } from '../listing.ts'
import { pageState } from '../page-state.ts'
import { endLine, formatVersion, linkLine, recordLine } from '../portable-lines.ts'
import { type Call, defineVerb, readOptions } from '../verb.ts'

const pageSize = 500

const input = () =>
  z.strictObject({
    format: z.enum(['jsonl', 'apollia-1']).optional(),
    vectors: z.boolean().optional(),
    ...readOptions,
  })

/** The state that an export shows, however long it takes to write it all out. */
interface Shown {
  readonly scope: ScopeFilter
  readonly head: Cursor
  readonly query: Omit<ListQuery, 'limit' | 'after' | 'order'>
  readonly signal: AbortSignal | undefined
}

interface ShownPage {
  readonly items: readonly StoredRecord[]
  readonly asOf: AsOf | undefined
}

async function* pages({ core }: Call, shown: Shown, bare: boolean): AsyncGenerator<ShownPage> {
  const { scope, head, query, signal } = shown
  let after: ListPosition | undefined
  for (let more = true; more; ) {
    signal?.throwIfAborted()
    const asOf = await pageState(core, scope, head, signal)
    const page = await listPage(
      core,
      scope,
      { ...query, order: 'oldest', limit: pageSize, after },
      { asOf, signal, bare },
    )
    yield { items: page.items, asOf }
    const last = page.items.at(-1)?.record
    after = last && { value: orderValue(last, 'oldest'), id: last.id }
    more = page.more && last !== undefined
  }
}

function linksAround({ core }: Call, { scope, signal }: Shown, { items, asOf }: ShownPage): Promise<readonly Link[]> {
  return core.store.links(
    scope,
    items.map(({ record }) => record.id),
    { asOf, signal },
  )
}

/** All memories, and after them the contradictions among them. */
async function* allPages(call: Call, shown: Shown, bare: boolean): AsyncGenerator<ShownPage> {
  yield* pages(call, shown, bare)
  yield* pages(call, { ...shown, query: { ...shown.query, kinds: [conflictKind] } }, bare)
}

/** Links between what is shown, each once: with the record that it comes from. */
async function* shownLinks(call: Call, shown: Shown): AsyncGenerator<Link> {
  const { scope, query, signal } = shown
  for await (const page of allPages(call, shown, true)) {
    const here = new Set(page.items.map(({ record }) => record.id))
    const outgoing = (await linksAround(call, shown, page)).filter(({ from }) => here.has(from))
    const others = [...new Set(outgoing.map(({ to }) => to))].filter((to) => !here.has(to))
    const found = await call.core.store.get(scope, others, { asOf: page.asOf, signal, bare: true })
    for (const stored of found) if (stored && matchesQuery(query, stored)) here.add(stored.record.id)
    yield* outgoing.filter(({ to }) => here.has(to))
  }
}

async function* lines(call: Call, given: z.infer<ReturnType<typeof input>>): AsyncGenerator<string> {
  const { core } = call
  const { signal } = given
  const now = core.clock()
  const shown: Shown = {
    scope: readScope(call.access, given),
    head: await core.store.head({ signal }),
    query: { statuses: 'any', now, lifetimes: core.policies.lifetimes },
    signal,
  }
  yield `${JSON.stringify({ mneme: formatVersion, exportedAt: formatInstant(now) })}\n`
  const counts = { records: 0, links: 0 }
  let anyLinks = false
  for await (const page of allPages(call, shown, !given.vectors)) {
    for (const { record, vector } of page.items) {
      counts.records++
      yield `${recordLine(page.asOf ? record : core.touches.withCounts(record), given.vectors ? vector : null)}\n`
    }
    anyLinks ||= (await linksAround(call, shown, page)).length > 0
  }
  // Links come after all records. They are looked up anew, as nothing is kept that grows with what is exported.
  for await (const link of anyLinks ? shownLinks(call, shown) : []) {
    counts.links++
    yield `${linkLine(link)}\n`
  }
  yield `${endLine(counts.records, counts.links)}\n`
}

function refuseOption(name: string): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `${name}: a snapshot apollia-1 is of one exact scope and has no vectors. Leave ${name} out, or export as jsonl.`,
    details: { field: name },
  })
}

/** The live events, facts and procedures of the exact scope as one document. */
async function* snapshot({ core, access }: Call, given: z.infer<ReturnType<typeof input>>): AsyncGenerator<string> {
  for (const name of ['vectors', 'allScopes', 'include'] as const) if (given[name]) throw refuseOption(name)
  const { signal } = given
  const [scope] = keyedScopes(access, given) as [Scope]
  const now = core.clock()
  const query = { kinds: apolliaKinds, now, lifetimes: core.policies.lifetimes, signal }
  const found = await listAll(core, exactly(scope), query, { bare: true })
  const records = found.map(({ record }) => core.touches.withCounts(record))
  yield* apolliaPieces(records, scope, formatInstant(now))
}

export const exportLines = defineVerb({
  name: 'export',
  summary: 'Write everything the scope sees as JSON lines, or as a snapshot of another form.',
  positional: [],
  input,
  writes: false,
  shows: () => [],
  streams: true,
  example: 'mneme export --user ann > ann.jsonl',
  run: (call, given): AsyncIterable<string> => (given.format === 'apollia-1' ? snapshot : lines)(call, given),
})

import { z } from 'zod'
import { type ListPosition, orderValue } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { exactly, formatInstant, type Link, type Scope } from '../../model/index.ts'
import { apolliaKinds, apolliaPieces } from '../../transfer/index.ts'
import { keyedScopes, readScope } from '../access.ts'
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

async function* lines(call: Call, given: z.infer<ReturnType<typeof input>>): AsyncGenerator<string> {
  const { core } = call
  const { signal } = given
  const scope = readScope(call.access, given)
  // One state, however long it takes to write it all out.
  const head = await core.store.head({ signal })
  const now = core.clock()
  yield `${JSON.stringify({ mneme: formatVersion, exportedAt: formatInstant(now) })}\n`
  const links = new Map<string, Link>()
  const ids = new Set<string>()
  let after: ListPosition | undefined
  for (let more = true; more; ) {
    signal?.throwIfAborted()
    const asOf = await pageState(core, scope, head, signal)
    const page = await listPage(
      core,
      scope,
      { statuses: 'any', now, lifetimes: core.policies.lifetimes, order: 'oldest', limit: pageSize, after },
      { asOf, signal },
    )
    for (const { record, vector } of page.items) {
      ids.add(record.id)
      yield `${recordLine(asOf ? record : core.touches.withCounts(record), given.vectors ? vector : null)}\n`
    }
    const around = await core.store.links(
      scope,
      page.items.map(({ record }) => record.id),
      { asOf, signal },
    )
    for (const link of around) links.set(JSON.stringify([link.from, link.to, link.type]), link)
    const last = page.items.at(-1)?.record
    after = last && { value: orderValue(last, 'oldest'), id: last.id }
    more = page.more && last !== undefined
  }
  const written = [...links.values()].filter((link) => ids.has(link.from) && ids.has(link.to))
  for (const link of written) yield `${linkLine(link)}\n`
  yield `${endLine(ids.size, written.length)}\n`
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

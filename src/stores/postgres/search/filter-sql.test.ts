import fc from 'fast-check'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { anyFilter, anyRecord } from '../../../../test/fixtures/reference-filter.ts'
import { runs } from '../../../../test/fixtures/reference-runs.ts'
import { freshName, postgresUrl } from '../../../../test/fixtures/servers.ts'
import type { ListQuery } from '../../../contract/index.ts'
import { type Filter, type JsonValue, type MemoryRecord, matchesFilter, parseFilter } from '../../../model/index.ts'
import { put, transaction } from '../../../testing/index.ts'
import { createParameters } from '../parameters.ts'
import { postgres } from '../store.ts'
import { bareText } from './bare-text.ts'
import { conditionsOf } from './filter-sql.ts'

const url = await postgresUrl()
const admin = url === null ? null : new pg.Pool({ connectionString: url, max: 2 })
afterAll(() => admin?.end())

/** Texts whose order, parts and letters differ between JavaScript and SQL, if anything does. */
const oddText = fc
  .array(
    fc.constantFrom(
      ...['a', 'A', 'b', 'k', '\u212a', 'i', '\u0130', '\u00df', '%', '_', '\\', '"', "'", ' ', '\n'],
      ...['\0', '\u0001', '\u0002', '\u0003', '\u0004', '\ud800', '\udc00', '\ue000', '\uffff', '\ufffe', '😀', '𐀀'],
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''))
const oddValue: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  {
    weight: 2,
    arbitrary: fc.constantFrom<JsonValue>(0, -0.5, 1e-7, 1e21, 5e-324, 1.7e308, 0.1, 9007199254740991, null, true),
  },
  { weight: 1, arbitrary: fc.array(oddText, { maxLength: 2 }) },
  { weight: 1, arbitrary: oddText.map((text): JsonValue => Object.fromEntries([[text, 1]])) },
)
const oddRecord = fc
  .tuple(anyRecord, oddValue, fc.subarray(['a', 'x\0y', '\ud800', 'tag']), oddText)
  .map(([record, a, tags, actor]) => ({
    ...record,
    metadata: { ...record.metadata, a },
    tags: [...new Set([...record.tags, ...tags])],
    ...(actor === '' ? {} : { source: { ...record.source, actor } }),
  }))
const oddFilter: fc.Arbitrary<Filter> = fc.oneof(
  anyFilter,
  fc
    .tuple(
      fc.constantFrom('a', 'record.source.actor', 'record.tags'),
      fc.oneof(
        fc.tuple(fc.constantFrom('eq', 'ne', 'contains'), oddValue),
        fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'icontains', 'startsWith', 'contains'), oddText),
        fc.tuple(fc.constantFrom('gt', 'lte'), fc.constantFrom(0, 1e21, 5e-324, 0.1, 1e-7)),
        fc.tuple(fc.constantFrom('in', 'nin'), fc.array(oddValue, { maxLength: 3 })),
      ),
      fc.boolean(),
    )
    .map(([field, [operator, value], negated]) => {
      const condition = Object.fromEntries([[field, Object.fromEntries([[operator, value]])]])
      return negated ? { NOT: condition } : condition
    }),
)

describe('bare texts', () => {
  it('[PGS-51] are what PostgreSQL takes, no two alike, and parts of each other as the texts are', () => {
    fc.assert(
      fc.property(oddText, oddText, (a, b) => {
        const [x, y] = [bareText(a), bareText(b)]
        expect(x.isWellFormed() && !x.includes('\0')).toBe(true)
        expect(x === y).toBe(a === b)
        if (!/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(b)) {
          expect(x.includes(y)).toBe(a.includes(b))
          expect(x.startsWith(y)).toBe(a.startsWith(b))
        }
        if (/^[^\ud800-\uffff]*$/.test(b)) expect(Buffer.from(x).compare(Buffer.from(y)) < 0).toBe(a < b)
      }),
      runs(2000),
    )
  })
})

describe.skipIf(url === null)('filters in SQL', () => {
  async function filled(records: readonly MemoryRecord[]) {
    const schema = freshName()
    const store = postgres({ url: url as string, schema, poolSize: 2 })
    await store.open()
    await store.commit(
      transaction({ id: 't', at: 0, changes: records.map((record) => put({ ...record }, { vector: null })) }),
    )
    return { store, schema }
  }

  async function selected(schema: string, query: Pick<ListQuery, 'filter' | 'tags' | 'since' | 'until' | 'validAt'>) {
    const parameters = createParameters()
    const { sql, exact } = conditionsOf(query, 'f', parameters)
    const text = `SELECT f.id FROM ${schema}.searched f WHERE ${sql}`
    const { rows } = await (admin as pg.Pool).query(text, [...parameters.values])
    return { exact, ids: new Set(rows.map(({ id }) => id as string)) }
  }

  it('[PGS-50] let nothing through too little, nothing too much where they say so, and say so of most', async () => {
    const records = fc
      .sample(oddRecord, { numRuns: 400, seed: fc.readConfigureGlobal().seed ?? 20261201 })
      .map((record, i): MemoryRecord => ({ ...record, id: `r${i}` }))
    const { store, schema } = await filled(records)
    let [exactly, all] = [0, 0]
    await fc.assert(
      fc.asyncProperty(oddFilter, async (filter) => {
        const node = parseFilter(filter)
        const { exact, ids } = await selected(schema, { filter: node })
        const wanted = records.filter((record) => matchesFilter(node, record)).map(({ id }) => id)
        expect(wanted.filter((id) => !ids.has(id))).toEqual([])
        if (exact) expect(ids.size).toBe(wanted.length)
        exactly += Number(exact)
        all++
      }),
      runs(300),
    )
    expect(exactly / all).toBeGreaterThan(0.5)
    await store.close()
    await admin?.query(`DROP SCHEMA ${schema} CASCADE`)
  }, 600_000)
})

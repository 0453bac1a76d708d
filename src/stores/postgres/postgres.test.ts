import pg from 'pg'
import { afterAll, describe, it } from 'vitest'
import { holdablePostgres, holdCommit } from '../../../test/fixtures/held-postgres.ts'
import { freshName, postgresUrl } from '../../../test/fixtures/servers.ts'
import { walledServer } from '../../../test/fixtures/walled-postgres.ts'
import { conformanceCases, describeConformance } from '../../conformance/index.ts'
import type { MemoryStore } from '../../contract/index.ts'

const url = await postgresUrl()
const admin = url === null ? null : new pg.Pool({ connectionString: url, max: 1 })
/** Without pgvector. */
const plainUrl = await postgresUrl('debian15')
const plainAdmin = plainUrl === null ? null : new pg.Pool({ connectionString: plainUrl, max: 1 })
afterAll(async () => {
  await admin?.end()
  await plainAdmin?.end()
})

const schemas = new WeakMap<MemoryStore, string>()

function storeOf(schema: string, partitions?: number): MemoryStore {
  const store = holdablePostgres({ url: url ?? undefined, schema, poolSize: 4, partitions })
  schemas.set(store, schema)
  return store
}

function target(name: string, partitions: number) {
  return {
    name,
    durable: true,
    facets: ['text', 'vectors', 'turns'] as const,
    judges: true,
    create: () => storeOf(freshName(), partitions),
    openSecond: (first: MemoryStore) => storeOf(schemas.get(first) as string),
    holdCommit,
    async destroy(store: MemoryStore) {
      await admin?.query(`DROP SCHEMA IF EXISTS ${schemas.get(store)} CASCADE`)
    },
  }
}

const cases = (families: RegExp) => conformanceCases.filter(({ rule }) => families.test(rule))

describe.skipIf(url === null)('postgres', () => {
  describeConformance(target('postgres', 0), { describe, it })
  // What depends on how tables are parted.
  describeConformance(
    target('postgres, with partitions', 3),
    { describe, it },
    cases(/^STO-(?:COM-1|LST-2|LOG|ERA|LNK|SHR|TXT|VEC|TRN|JDG)/),
  )
})

const server = url === null ? null : await walledServer(url)

describe.skipIf(url === null)('postgres behind a wall', () => {
  const walled = (schema: string) => {
    const store = server?.open(schema) as MemoryStore
    schemas.set(store, schema)
    return store
  }
  // What differs there: who sees what.
  describeConformance(
    {
      ...target('postgres behind a wall', 0),
      async create() {
        const schema = freshName()
        await server?.raise(schema)
        return walled(schema)
      },
      openSecond: (first) => walled(schemas.get(first) as string),
    },
    { describe, it },
    cases(/^STO-(?:COM-[12]|LST-2|ASO|LOG-1|ERA-1|LNK-1|SCO|ISO|PRE-1|IDM-1|JRN-1|STA-1|TXT|VEC|TRN|JDG)/),
  )
})

describe.skipIf(plainUrl === null)('postgres without pgvector', () => {
  const schemaOf = new WeakMap<MemoryStore, string>()
  describeConformance(
    {
      name: 'postgres without pgvector',
      facets: ['text', 'vectors', 'turns'],
      judges: true,
      create() {
        const schema = freshName()
        const store = holdablePostgres({ url: plainUrl ?? undefined, schema, poolSize: 4 })
        schemaOf.set(store, schema)
        return store
      },
      async destroy(store) {
        await plainAdmin?.query(`DROP SCHEMA IF EXISTS ${schemaOf.get(store)} CASCADE`)
      },
    },
    { describe, it },
    cases(/^STO-(?:VEC|TRN|JDG|DRV)/),
  )
})

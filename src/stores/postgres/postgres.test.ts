import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, describe, it } from 'vitest'
import { describeConformance, type HeldCommit } from '../../conformance/index.ts'
import type { MemoryStore, Transaction } from '../../contract/index.ts'
import { createStore, type Hooks } from './store.ts'

const url = process.env.PGURL as string
const admin = new pg.Pool({ connectionString: url, max: 2 })
afterAll(() => admin.end())

const schemas = new WeakMap<MemoryStore, string>()
const gates = new WeakMap<MemoryStore, Map<string, Gate>>()

interface Gate {
  readonly reached: () => void
  readonly opened: Promise<void>
}

function storeOf(schema: string, partitions?: number): MemoryStore {
  const held = new Map<string, Gate>()
  const hooks: Hooks = {
    async beforeVisible({ id }) {
      const gate = held.get(id)
      gate?.reached()
      await gate?.opened
    },
  }
  const store = createStore({ url, schema, poolSize: 4, partitions }, hooks)
  schemas.set(store, schema)
  gates.set(store, held)
  return store
}

async function holdCommit(store: MemoryStore, transaction: Transaction): Promise<HeldCommit> {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    gates.get(store)?.set(transaction.id, { reached: resolve, opened })
  })
  const result = store.commit(transaction)
  await reached
  return {
    release() {
      open()
      return result
    },
  }
}

for (const partitions of [0, 3]) {
  describeConformance(
    {
      name: partitions === 0 ? 'postgres' : 'postgres, with partitions',
      durable: true,
      create: () => storeOf(`t_${randomBytes(6).toString('hex')}`, partitions),
      openSecond: (first) => storeOf(schemas.get(first) as string),
      holdCommit,
      async destroy(store) {
        await admin.query(`DROP SCHEMA IF EXISTS ${schemas.get(store)} CASCADE`)
      },
    },
    { describe, it },
  )
}

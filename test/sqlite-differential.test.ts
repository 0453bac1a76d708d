import fc from 'fast-check'
import { it } from 'vitest'
import { memory } from '../src/stores/memory/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { runs } from './fixtures/reference-runs.ts'
import { compareStores } from './fixtures/store-answers.ts'
import { anySteps } from './fixtures/store-steps.ts'

it('[SQL-17] answers every sequence of operations as the store in memory does', { timeout: 900_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(anySteps(30), (steps) => compareStores(memory(), sqlite({ path: ':memory:' }), steps)),
    runs(200),
  )
})

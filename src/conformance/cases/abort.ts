import assert from 'node:assert/strict'
import type { ConformanceCase } from '../conformance-case.ts'
import { snapshot } from '../expectations.ts'
import { everyMethod } from './every-method.ts'

export const abortCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-ABT-1',
    title: 'a call with an aborted signal rejects with the reason of the signal and does nothing',
    async run(context) {
      const { store, add } = context
      const { id } = await add({ id: 'x' })
      const before = await snapshot(store, [id])
      const reason = new Error('changed my mind')
      const signal = AbortSignal.abort(reason)
      const calls = { ...everyMethod(context, store), open: (options = {}) => store.open(options) }
      for (const [name, call] of Object.entries(calls)) {
        await assert.rejects(call({ signal }), (error) => error === reason, `${name} with an aborted signal`)
      }
      assert.equal(await snapshot(store, [id]), before)
    },
  },
]

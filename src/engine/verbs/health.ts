import { z } from 'zod'
import type { StoreHealth } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import type { Health } from '../api/health.ts'
import { metadataOf } from '../metadata.ts'
import { defineVerb, signalOption } from '../verb.ts'
import { within } from '../within.ts'

const defaultTimeoutMs = 5000

/** A store of which nothing else is known than that it did not answer. */
function down(name: string, error: unknown): StoreHealth {
  const reason = MnemeError.is(error) ? error.message : `It failed in an unforeseen way (${(error as Error)?.name}).`
  return { status: 'down', tiers: [{ name, role: 'store', status: 'down', reason }] }
}

export const health = defineVerb({
  name: 'health',
  summary: 'Ask every layer of the store whether it answers.',
  positional: [],
  input: () => z.strictObject({ timeoutMs: z.int().min(1).max(600_000).optional(), ...signalOption }),
  writes: false,
  caretaker: true,
  example: 'mneme health',
  async run({ core }, { timeoutMs = defaultTimeoutMs, signal: given }): Promise<Health> {
    const { store } = core
    const began = performance.now()
    const ask = async (signal: AbortSignal): Promise<StoreHealth> => {
      if (store.health) return store.health({ signal })
      await store.head({ signal })
      const latencyMs = performance.now() - began
      return { status: 'ok', tiers: [{ name: store.name, role: 'store', status: 'ok', latencyMs }] }
    }
    const found = await within(timeoutMs, given, ask).catch((error: unknown) => {
      given?.throwIfAborted()
      return down(store.name, error)
    })
    return { ...found, metadata: metadataOf(core) }
  },
  // What can't be opened can't be asked, and to say so is what this is for.
  async unopened({ parts, open }, { timeoutMs = defaultTimeoutMs, signal }): Promise<Health | null> {
    try {
      await within(timeoutMs, signal, open)
      return null
    } catch (error) {
      signal?.throwIfAborted()
      if (MnemeError.is(error, 'ENGINE_CLOSED')) throw error
      return { ...down(parts.store.name, error), metadata: metadataOf(parts) }
    }
  },
})

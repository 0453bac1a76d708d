import type { StoreHealth } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import type { Call } from './connection.ts'
import type { Session } from './session.ts'

/** Asks the server for the store's own node. */
export async function health({ connection, partition, patienceMs, lacks }: Session, given: Call): Promise<StoreHealth> {
  const call = { ...given, timeoutMs: patienceMs }
  const started = performance.now()
  try {
    await connection.transact(call, (run) =>
      run('MATCH (s:MnemeStore {uid: $uid}) RETURN s.uid', { uid: partition.uid('store') }),
    )
    const latencyMs = performance.now() - started
    const reason =
      lacks.size === 0 ? {} : { reason: `The server refused ${[...lacks].join(', ')}; mneme does without.` }
    return { status: 'ok', tiers: [{ name: 'bolt', role: 'store', status: 'ok', latencyMs, ...reason }] }
  } catch (error) {
    const reason = MnemeError.is(error) ? error.message : 'bolt store: the question failed.'
    return { status: 'down', tiers: [{ name: 'bolt', role: 'store', status: 'down', reason }] }
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { StoreHealth } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import type { Call } from './connection.ts'
import type { Session } from './session.ts'

function down(reason: string): StoreHealth {
  return { status: 'down', tiers: [{ name: 'bolt', role: 'store', status: 'down', reason }] }
}

/** One question at a time: those who ask meanwhile wait for the same answer, and never hold many connections that say nothing. */
function ask({ connection, partition, pulse }: Session, { operation }: Call): Promise<unknown> {
  pulse.asked ??= connection
    .transact({ operation }, (run) =>
      run('MATCH (s:MnemeStore {uid: $uid}) RETURN s.uid', { uid: partition.uid('store') }),
    )
    .finally(() => {
      pulse.asked = null
    })
  return pulse.asked
}

/** Asks the server for the store's own node. */
export async function health(session: Session, call: Call): Promise<StoreHealth> {
  const { patienceMs, lacks } = session
  const started = performance.now()
  const answered = new AbortController()
  const late = pause(patienceMs, 'late' as const, { ref: false, signal: answered.signal })
  late.catch(() => undefined)
  try {
    if ((await Promise.race([ask(session, call), late])) === 'late')
      return down(`bolt store: health: no answer within ${patienceMs} ms.`)
    const latencyMs = performance.now() - started
    const reason =
      lacks.size === 0 ? {} : { reason: `The server refused ${[...lacks].join(', ')}; mneme does without.` }
    return { status: 'ok', tiers: [{ name: 'bolt', role: 'store', status: 'ok', latencyMs, ...reason }] }
  } catch (error) {
    return down(MnemeError.is(error) ? error.message : 'bolt store: health: the question failed.')
  } finally {
    answered.abort()
  }
}

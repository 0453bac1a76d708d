import type { TierHealth } from '../../contract/index.ts'
import type { Connection } from './connection.ts'
import { backendFailure } from './failure.ts'

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim()
}

/** What the server's memory means for what is kept; undefined when all is well. */
function memoryTrouble(info: string, waiting: number): string | undefined {
  const [most, used] = [Number(field(info, 'maxmemory')), Number(field(info, 'used_memory'))]
  const policy = field(info, 'maxmemory_policy') ?? ''
  if (!(most > 0)) return undefined
  if (policy === 'noeviction' && used >= most)
    return 'The server is full and evicts nothing: new entries are refused, reads go to the store behind.'
  if (policy.startsWith('allkeys') && waiting > 0)
    return `The server may evict the transactions that wait in it (maxmemory-policy ${policy}). Use volatile-lru.`
  return undefined
}

/** Asks the server; never rejects. */
export async function askHealth(name: string, connection: Connection, queue: string): Promise<TierHealth> {
  const start = performance.now()
  try {
    const [size, info] = await connection.all('health', [
      { key: queue, args: ['LLEN', queue] },
      { key: queue, args: ['INFO', 'memory'] },
    ])
    const latencyMs = performance.now() - start
    const waiting = Number(size)
    const reason = memoryTrouble(String(info), waiting)
    return {
      name,
      role: 'hot',
      status: reason === undefined ? 'ok' : 'degraded',
      latencyMs,
      waiting,
      ...(reason === undefined ? {} : { reason }),
    }
  } catch (error) {
    return { name, role: 'hot', status: 'down', reason: backendFailure('health', error).message }
  }
}

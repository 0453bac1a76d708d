import type { HotQueue } from '../../contract/index.ts'
import type { Connection } from './connection.ts'
import type { Reply } from './driver.ts'
import { withOutcome } from './failure.ts'
import { command, pushEntry, shiftEntry } from './scripts.ts'

export function makeQueue(connection: Connection, key: string): HotQueue {
  async function ask(operation: string, ...args: string[]): Promise<Reply> {
    const [reply] = await connection.all(operation, [{ key, args }])
    return reply as Reply
  }
  async function change(operation: string, script: typeof pushEntry, args: readonly string[]): Promise<boolean> {
    const [reply] = await connection.all(operation, [command({ script, keys: [key], args })])
    return reply === 1
  }
  return {
    push: (entry, bound) => change('queue.push', pushEntry, [String(bound), entry]).catch(withOutcome),
    peek: async (limit) =>
      limit < 1
        ? []
        : ((await ask('queue.peek', 'LRANGE', key, '0', String(limit - 1))) as readonly Reply[]).map(String),
    shift: (entry) => change('queue.shift', shiftEntry, [entry]),
    size: async () => Number(await ask('queue.size', 'LLEN', key)),
  }
}

import { openWith, type Settings } from '../../settings.ts'
import { type Check, note, ok, problem } from './check.ts'

/** Every layer of a store that is no file, as it says itself. */
export async function checkStore(settings: Settings, signal: AbortSignal): Promise<Check[]> {
  const memory = await openWith(settings)
  try {
    const { tiers } = await memory.health({ signal })
    return tiers.map(({ name, role, status, reason = '', latencyMs }): Check => {
      const layer = role === 'store' ? 'store' : `${role} tier`
      if (status === 'ok')
        return ok(layer, `${name} answers${latencyMs === undefined ? '' : ` in ${Math.ceil(latencyMs)} ms`}`)
      return status === 'degraded' ? note(layer, `${name}: ${reason}`) : problem(layer, `${name}: ${reason}`)
    })
  } finally {
    await memory.close()
  }
}

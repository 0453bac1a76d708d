import type { Health, MigrateToColdResult } from '../../engine/index.ts'
import { memories } from './amount.ts'
import type { Renderer } from './answer.ts'
import { bad, bold, type Cell, dim, good, line, table } from './lines.ts'

const words: Readonly<Record<Health['status'], Cell>> = {
  ok: good('ok'),
  degraded: bold('degraded'),
  down: bad('down'),
}

/** The whole in a word, then a line a layer: how it fares, how long it took to say so, why it is not well. */
export const health: Renderer<Health> = ({ status, tiers, metadata }) => ({
  lines: [
    line(words[status], dim(`  ${metadata.name} ${metadata.version}, ${metadata.store} store`)),
    ...table(
      tiers.map(({ name, role, status: own, latencyMs, waiting, setAside, reason }) => [
        dim(role),
        name,
        words[own],
        latencyMs === undefined ? '' : `${latencyMs.toFixed(1)} ms`,
        waiting ? `${waiting} waiting` : setAside ? `${setAside} set aside` : '',
        reason ?? '',
      ]),
    ).map((each) => ({ ...each, whole: true })),
  ],
})

export const migratedToCold: Renderer<MigrateToColdResult> = ({ migrated, remaining }) => ({
  lines: [
    line(good('moved'), `  ${memories(migrated)}`, remaining === 0 ? '' : bad(`  ${remaining} still to be moved`)),
  ],
})

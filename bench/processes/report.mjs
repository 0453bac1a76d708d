import { describeMachine } from '../machine.mjs'
import { quantile } from '../measure.mjs'

const rounded = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2))

/** What a run did, without the ids. */
export function summarise({ variant, tallies, faults, checked, moved, loadBefore, loadAfter }) {
  const names = Object.keys(tallies[0].times)
  const total = (of) => tallies.reduce((sum, tally) => sum + of(tally), 0)
  const done = (tally) => names.reduce((sum, name) => sum + tally.times[name].length, 0)
  const latencies = {}
  for (const name of names) {
    const times = tallies.flatMap((tally) => tally.times[name])
    if (times.length === 0) continue
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(times, share))
    latencies[name] = { count: times.length, p50, p95, p99, longest: Math.max(...times) }
  }
  const perProcess = tallies.map((tally) => (done(tally) / tally.milliseconds) * 1000)
  const errors = {}
  for (const tally of tallies)
    for (const [name, count] of Object.entries(tally.errors)) errors[name] = (errors[name] ?? 0) + count
  return {
    variant,
    operations: total(done),
    perSecond: perProcess.reduce((sum, rate) => sum + rate, 0),
    perProcess,
    latencies,
    workedMs: total((tally) => tally.worked),
    conflicts: total((tally) => tally.conflicts),
    seenByOthers: total((tally) => tally.seen),
    degraded: total((tally) => tally.degraded),
    waited: total((tally) => tally.waited),
    errors,
    faults,
    checked,
    moved,
    loadBefore,
    loadAfter,
  }
}

function section(run) {
  const { variant, operations, perSecond, perProcess, latencies, conflicts, checked, moved, errors, faults } = run
  const rows = Object.entries(latencies).map(
    ([name, { count, p50, p95, p99, longest }]) =>
      `| ${name} | ${count} | ${[p50, p95, p99, longest].map(rounded).join(' | ')} |`,
  )
  const wrong = Object.entries(errors).map(([name, count]) => `${name} (${count})`)
  return `## ${variant}

${operations} operations, ${rounded(perSecond)} a second in all; by process ${perProcess.map(rounded).join(', ')}.
The processes worked ${rounded(run.workedMs / operations)} ms of a core for each, the servers not counted.
Load of the machine: ${rounded(run.loadBefore)} before, ${rounded(run.loadAfter)} after.

| Operation | done | p50 ms | p95 ms | p99 ms | longest ms |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

Conflicts that were tried again: ${conflicts}. Errors: ${wrong.length === 0 ? 'none' : wrong.join(', ')}. Degraded answers: ${run.degraded}; not durable: ${run.waited}.
Checked: ${checked.added} additions and ${checked.updated} updates acknowledged and found, counters at ${checked.counted} after as many steps, \
${run.seenByOthers} writes looked at by another process at once, ${checked.records} records and the journal's chains verified\
${moved.sessions > 0 ? `, ${moved.migrated} memories of ${moved.sessions} sessions moved` : ''}. \
${faults.length === 0 ? 'Nothing was lost, doubled or shown to a stranger.' : `FAULTS:\n\n${faults.map((fault) => `- ${fault}`).join('\n')}`}
`
}

export function report({ date, commit, machine, settings, servers, runs }) {
  return `# Several processes over one store, ${date}

${settings.processes} processes for ${settings.seconds} s each, ${settings.poolSize} connections each; ${settings.tenants} tenants shared by all and one of each process's own, \
${settings.counters} counters; seed ${settings.seed}.
${describeMachine(machine)}, processes and servers together. Build ${commit}. Servers: ${servers}.

One \`update\` is a list, a read and a write with \`ifVersion\`, repeated when another process was faster; one \`count\` a read and a write of one of the counters likewise.

${runs.map(section).join('\n')}`
}

import { describeMachine } from '../machine.mjs'

const ms = (value) => (value < 100 ? value.toFixed(1) : value.toFixed(0))
const mib = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`

/** The page of a run. */
export function report(results) {
  const { date, commit, size, settings, load, prepared, searches, recall, single, sizes, plans } = results
  const lines = [
    `# Search on PostgreSQL, ${date}`,
    '',
    `${size.toLocaleString('en')} records with vectors of 256 dimensions, of 502 users in sessions of up to 500.`,
    `${describeMachine(results.machine)}. Build ${commit}.`,
    `Load of the machine: ${results.loadBefore.toFixed(1)} before, ${results.loadAfter.toFixed(1)} after.`,
    '',
    `Server: ${Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}.`,
    '',
    '## Hybrid searches, ten results, defaults',
    '',
    '| Narrowed to | p50 ms | p95 ms | fastest ms | work here ms | on the server ms | searches |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...Object.entries(searches).map(
      ([name, { p50, p95, fastest, here, server, count }]) =>
        `| ${name} | ${ms(p50)} | ${ms(p95)} | ${ms(fastest)} | ${ms(here)} | ${ms(server)} | ${count} |`,
    ),
    '',
    '## The vector facet, 200 nearest',
    '',
    '| Narrowed to | recall@10 | p50 ms | p95 ms |',
    '| --- | --- | --- | --- |',
    ...Object.entries(recall).map(
      ([name, { recallAt10, p50, p95 }]) => `| ${name} | ${recallAt10.toFixed(4)} | ${ms(p50)} | ${ms(p95)} |`,
    ),
    '',
    '## Writing',
    '',
    ...(load
      ? [
          `addMany of up to 500 records a call: ${Math.round((load.records / load.milliseconds) * 1000)} records a second, by one process.`,
        ]
      : ['Filled by an earlier run.']),
    `Single adds, embedded here: ${Math.round(single.perSecond)} a second.`,
    `Index of the nearest vectors: ${prepared.indexSeconds.toFixed(0)} s; VACUUM (ANALYZE): ${prepared.vacuumSeconds.toFixed(0)} s.`,
    '',
    `Tables with their indexes: ${Object.entries(sizes)
      .map(([name, bytes]) => `${name} ${mib(bytes)}`)
      .join(', ')}.`,
    '',
    '## Plans',
  ]
  for (const [name, statements] of Object.entries(plans)) {
    lines.push('', `### ${name}`)
    for (const { text, milliseconds, plan } of statements) {
      lines.push('', `${milliseconds} ms: \`${text.slice(0, 110).replaceAll('`', '')}…\``, '', '```text', plan, '```')
    }
  }
  return `${lines.join('\n')}\n`
}

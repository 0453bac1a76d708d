// What was promised. `at` names the size, `most` or `least` the bound. A peer's bound is how many times faster mneme must be.
import { peerNames, peerOf } from './peers/index.mjs'

const megabyte = 1_000_000
const k = 1000

const search = [
  [10 * k, 0.5],
  [100 * k, 1],
  [1000 * k, 10],
].flatMap(([at, most]) => [
  { what: 'hybrid search without token match, p50', of: 'search/no-token-match', value: 'p50', at, most, unit: 'ms' },
  {
    what: 'token match on top, p50',
    of: 'search/hybrid',
    minus: 'search/no-token-match',
    value: 'p50',
    at,
    most: 1,
    unit: 'ms',
  },
  {
    what: 'recall@10 of the vector stage against comparing every vector, real embeddings',
    of: 'recall',
    value: 'recall',
    at,
    least: 0.98,
    unit: '',
  },
])

const others = [
  { what: 'search in a scope of 1 %, p50', of: 'scope', value: 'p50', at: 1000 * k, most: 1.5, unit: 'ms' },
  {
    what: 'the same scores without the other scopes, bit for bit',
    of: 'scope',
    value: 'equalScores',
    at: 1000 * k,
    least: 1,
    unit: 'yes',
  },
  {
    what: 'time in that scope, with the other scopes against without',
    of: 'scope',
    value: 'timeRatio',
    at: 1000 * k,
    most: 1.2,
    unit: '×',
  },
  { what: 'single durable add without embedder', of: 'add/none', value: 'rate', at: 100 * k, least: 4000, unit: '/s' },
  { what: 'single durable add, vector given', of: 'add/given', value: 'rate', at: 100 * k, least: 4000, unit: '/s' },
  {
    what: 'single durable add with the built-in embedder',
    of: 'add/built-in',
    value: 'rate',
    at: 100 * k,
    least: 2500,
    unit: '/s',
  },
  {
    what: 'addMany, 1,000 a call, without embedder',
    of: 'add-many/none',
    value: 'rate',
    at: 100 * k,
    least: 15_000,
    unit: '/s',
  },
  {
    what: 'addMany, 1,000 a call, vectors given',
    of: 'add-many/given',
    value: 'rate',
    at: 100 * k,
    least: 15_000,
    unit: '/s',
  },
  { what: 'a scope of 3,000 deleted', of: 'delete-scope', value: 'time', at: 100 * k, most: 50, unit: 'ms' },
  { what: 'open to first search', of: 'open', value: 'firstSearch', at: 100 * k, most: 50, unit: 'ms' },
  { what: 'open to first search', of: 'open', value: 'firstSearch', at: 1000 * k, most: 500, unit: 'ms' },
  { what: 'resident memory', of: 'open', value: 'residentBytes', at: 1000 * k, most: 700 * megabyte, unit: 'MB' },
  {
    what: '`mneme search` from a cold shell, p50',
    of: 'command-line',
    value: 'p50',
    at: 10 * k,
    most: 250,
    unit: 'ms',
  },
  {
    what: 'event loop delay during an import, p99',
    of: 'import',
    value: 'loopP99',
    at: 1000 * k,
    most: 50,
    unit: 'ms',
  },
  {
    what: 'event loop delay during an import with its vectors, p99',
    of: 'import-vectors',
    value: 'loopP99',
    at: 1000 * k,
    most: 50,
    unit: 'ms',
  },
  { what: 'event loop delay during addMany, p99', of: 'build', value: 'loopP99', at: 1000 * k, most: 50, unit: 'ms' },
  { what: "import 'mneme', p50", of: 'import-time', value: 'p50', at: 0, most: 60, unit: 'ms' },
  { what: 'installed size', of: 'install', value: 'installedBytes', at: 0, most: 60 * megabyte, unit: 'MB' },
  { what: 'npm install', of: 'install', value: 'seconds', at: 0, most: 15, unit: 's' },
  {
    what: 'packages that fail without their install scripts',
    of: 'install',
    value: 'failingWithoutScripts',
    at: 0,
    most: 0,
    unit: '',
  },
]

const ahead = peerNames.map((name) => ({
  what: `search at equal or better recall: times faster than ${peerOf(name).title}`,
  of: `peer/${name}`,
  // As it comes against as it comes; else the way of mneme that finds no less than the peer.
  value: name === 'mem0-search' ? 'ratioHybrid' : 'ratioEqual',
  at: 100 * k,
  least: name.startsWith('mem0') ? 100 : 1,
  unit: '×',
}))

export const targets = [...search, ...others, ...ahead]

/** The figure a target is about, undefined when it was not measured. */
function measured(target, summary, size) {
  const of = (name) => summary[name]?.[size]?.[target.value]
  const own = of(target.of)
  if (!own || !target.minus) return own
  const less = of(target.minus)
  if (!less) return undefined
  return {
    median: own.median - less.median,
    min: own.min - less.max,
    max: own.max - less.min,
    runs: Math.min(own.runs, less.runs),
  }
}

/** Every target with what was measured: `met` is null where nothing was. */
export function judge(summary) {
  return targets.map((target) => {
    const figure = measured(target, summary, target.at)
    const within = figure && (target.most === undefined ? figure.median >= target.least : figure.median <= target.most)
    return { ...target, figure: figure ?? null, met: figure ? within : null }
  })
}

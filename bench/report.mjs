// The results as a page: targets first, then everything that was measured.
import { describeMachine } from './machine.mjs'
import { peerOf } from './peers/index.mjs'
import { rows } from './rows/index.mjs'
import { nameOf, summarise } from './statistics.mjs'
import { judge } from './targets.mjs'

const megabyte = 1_000_000
const units = {
  rate: '/s',
  insertRate: '/s',
  recall: '',
  recallMneme: '',
  recallExact: '',
  questions: '',
  count: '',
  pairs: '',
  packages: '',
  failingWithoutScripts: '',
  timeRatio: '×',
  ratioVector: '×',
  ratioEqual: '×',
  ratioHybrid: '×',
  equalScores: 'yes',
  seconds: 's',
  finishSeconds: 's',
  blockedConnections: '',
}
const unitOf = (value) => units[value] ?? (value.endsWith('Bytes') || value === 'bytes' ? 'MB' : 'ms')

function number(value) {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1000) return Math.round(value).toLocaleString('en-US')
  return size >= 100
    ? value.toFixed(0)
    : size >= 10
      ? value.toFixed(1)
      : size >= 0.1
        ? value.toFixed(2)
        : value.toFixed(3)
}

export function show(value, unit) {
  if (unit === 'yes') return value >= 1 ? 'yes' : 'no'
  if (unit === 'MB') return `${number(value / megabyte)} MB`
  if (unit === '') return Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(3)
  return unit.length > 1 ? `${number(value)} ${unit}` : `${number(value)}${unit === 's' ? ' s' : unit}`
}

function spread(figure, unit) {
  if (figure.min === figure.max) return show(figure.median, unit)
  return `${show(figure.median, unit)} (${show(figure.min, unit)}–${show(figure.max, unit)})`
}

const sizeName = (size) =>
  size === 0 ? '' : size >= 1e6 ? `${size / 1e6}M` : size >= 1000 ? `${size / 1000}k` : String(size)
const table = (head, lines) => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...lines.map((line) => `| ${line.join(' | ')} |`),
]

function targetTable(summary) {
  const bound = ({ most, least, unit }) => {
    if (unit === 'yes') return 'yes'
    return most === undefined ? `≥ ${show(least, unit)}` : `≤ ${show(most, unit)}`
  }
  const verdict = ({ figure, met }) => (!figure ? 'not measured' : met ? 'met' : '**not met**')
  return table(
    ['What', 'Records', 'Target', 'Measured: median (min–max)', ''],
    judge(summary).map((one) => [
      one.what,
      sizeName(one.at),
      bound(one),
      one.figure ? spread(one.figure, one.unit) : '',
      verdict(one),
    ]),
  )
}

function rowTable(sizes) {
  const values = Object.keys(Object.values(sizes)[0])
  return table(
    ['Records', ...values],
    Object.entries(sizes).map(([size, figures]) => [
      sizeName(Number(size)),
      ...values.map((value) => (figures[value] ? spread(figures[value], unitOf(value)) : '')),
    ]),
  )
}

function peerTable(summary) {
  const lines = Object.entries(summary)
    .filter(([name]) => name.startsWith('peer/'))
    .flatMap(([name, sizes]) =>
      Object.entries(sizes).map(([size, one]) => [
        peerOf(name.slice('peer/'.length)).title,
        sizeName(Number(size)),
        show(one.recall.median, ''),
        spread(one.peer, 'ms'),
        `${spread(one.vector, 'ms')}, ${show(one.recallMneme.median, '')}`,
        `${spread(one.exact, 'ms')}, ${show(one.recallExact.median, '')}`,
        spread(one.hybrid, 'ms'),
        spread(one.ratioVector, '×'),
        spread(one.ratioEqual, '×'),
        spread(one.ratioHybrid, '×'),
        `${show(one.insertRate.median, '/s')} + ${show(one.finishSeconds.median, 's')}`,
        one.bytes.median > 0 ? show(one.bytes.median, 'MB') : 'in memory',
      ]),
    )
  if (lines.length === 0) return []
  return [
    '## Beside others',
    '',
    'In one process, on the same vectors, asked in turns, ten results. The peer compares vectors and nothing else. Times are medians per',
    'search; the ratios are medians of pairs: how many times longer the peer took. At equal or better recall: against the fastest of',
    "mneme's ways to search vectors that finds no less of the ten nearest than the peer.",
    '',
    ...table(
      [
        'Peer',
        'Records',
        'Recall@10',
        'Peer',
        'mneme, vectors (recall@10)',
        'mneme, every vector (recall@10)',
        'mneme, hybrid from text',
        'Ratio, vectors',
        'Ratio at equal or better recall',
        'Ratio, hybrid',
        'Insert + index',
        'Files',
      ],
      lines,
    ),
    '',
  ]
}

function failures(measurements) {
  const failed = measurements.filter(({ error }) => error)
  if (failed.length === 0) return []
  const lines = failed.map((one) => [
    nameOf(one),
    sizeName(one.size),
    String(one.run),
    one.error.split('\n')[0].replaceAll('|', '\\|'),
  ])
  return ['## Failed', '', ...table(['What', 'Records', 'Run', 'Why'], lines), '']
}

/** The page of a run. */
export function report({ date, machine, commit, data, measurements }) {
  const summary = summarise(measurements)
  const loads = measurements.map(({ load }) => load)
  const builds = [...new Set(measurements.map(({ build }) => build))]
  const own = Object.entries(summary).filter(([name]) => !name.startsWith('peer/'))
  return [
    `# Speed, ${date}`,
    '',
    `Commit ${commit}, build ${builds.join(', ')}. ${describeMachine(machine)}.`,
    `Made by \`npm run bench\`; data ${data}. Load average when a measurement began: ${number(Math.min(...loads))} to ${number(Math.max(...loads))}.`,
    'What each row does is in `bench/README.md`.',
    '',
    '## Targets',
    '',
    ...targetTable(summary),
    '',
    ...peerTable(summary),
    '## With the number of records',
    '',
    '![Search latency, insert rate, open time, memory and file size against the number of records](growth.svg)',
    '',
    '## All rows',
    '',
    ...own.flatMap(([name, sizes]) => {
      const [row, variant] = name.split('/')
      return [
        `### ${name}`,
        '',
        `${rows[row]?.title ?? row}${variant ? `, ${variant}` : ''}`,
        '',
        ...rowTable(sizes),
        '',
      ]
    }),
    ...failures(measurements),
  ].join('\n')
}

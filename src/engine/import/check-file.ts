import { type Scope, scopeKey } from '../../model/index.ts'
import type { ImportRow } from '../api/portability.ts'
import { oneTransaction } from '../parts.ts'
import { type Decided, decideRows, type Import, keyIsTaken, withoutKey } from './decide-rows.ts'
import type { Lines } from './lines.ts'
import { type Part, type Row, readParts } from './read-parts.ts'

/** A file that is written in one transaction. */
export interface ShortFile {
  readonly digest: string
  readonly rows: readonly Row[]
}

/** What is known of a file that is not held in memory: all of its rows were checked. */
export interface LongFile {
  readonly digest: string
  /** Digests of its parts: what is read again must be what was checked. */
  readonly parts: readonly string[]
  readonly ids: Set<string>
  readonly scopes: readonly Scope[]
  /** By row. */
  readonly failed: readonly ImportRow[]
  /** Of every row, when they were asked for. */
  readonly reports: readonly ImportRow[]
}

/** Counts the lines of a file, so that one that was cut off is recognised. */
class Tally {
  #last: Row | undefined
  #unreadable = 0
  readonly #counts = { record: 0, link: 0, end: 0 }

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.line === null) this.#unreadable++
      else this.#counts[row.line.type]++
    }
    this.#last = rows.at(-1) ?? this.#last
  }

  /** A row that says so when the end is missing. Where a row can't be read, that is said instead. */
  missingEnd(): Row[] {
    const { record, link } = this.#counts
    const line = this.#last?.line
    const whole = line?.type === 'end' && line.records === record && line.links === link
    if (whole || this.#unreadable > 0) return []
    const reason = 'the file was cut off: its end does not count all of its rows.'
    return [{ row: (this.#last?.row ?? 1) + 1, line: null, reason }]
  }
}

/** Decides rows part by part, and keeps of them what is needed later. */
function createChecker(given: Import, keepReports: boolean) {
  const ids = new Set<string>()
  const scopes = new Map<string, Scope>()
  const failed: ImportRow[] = []
  const contested: Decided[] = []
  const reports: ImportRow[] = []
  return {
    async check(rows: readonly Row[]): Promise<void> {
      for (const { line } of rows)
        if (line?.type === 'record') scopes.set(scopeKey(line.record.scope), line.record.scope)
      for (const decided of await decideRows(given, rows, { ids, all: false })) {
        const { report } = decided
        if (report.outcome === 'failed') failed.push(report)
        if (decided.holder !== undefined) contested.push(decided)
        if (keepReports) reports.push(report)
      }
    },
    result() {
      const taken = contested.filter((decided) => keyIsTaken(given, decided, ids)).map((one) => withoutKey(one).report)
      const instead = new Map(taken.map((report) => [report.row, report]))
      return {
        ids,
        scopes: [...scopes.values()],
        failed: [...failed, ...taken].sort((a, b) => a.row - b.row),
        reports: reports.map((report) => instead.get(report.row) ?? report),
      }
    },
  }
}

/** Reads and checks a whole file. One that is short is held in memory, of a long one only what its rows are named by. */
export async function checkFile(
  given: Import,
  lines: Lines,
  { dryRun }: { readonly dryRun?: boolean | undefined },
): Promise<ShortFile | LongFile> {
  const tally = new Tally()
  const checker = createChecker(given, dryRun ?? false)
  const parts: string[] = []
  let held: Part[] | null = []
  const sizes = { rows: 0, length: 0 }
  for await (const part of readParts(lines, given.signal)) {
    tally.add(part.rows)
    parts.push(part.digest)
    sizes.rows += part.rows.length
    sizes.length += part.length
    held?.push(part)
    if (held !== null && sizes.rows <= oneTransaction.rows && sizes.length <= oneTransaction.length) continue
    for (const { rows } of held ?? [part]) await checker.check(rows)
    held = null
  }
  const digest = parts.at(-1) as string
  const missing = tally.missingEnd()
  if (held) return { digest, rows: [...held.flatMap(({ rows }) => rows), ...missing] }
  await checker.check(missing)
  return { digest, parts, ...checker.result() }
}

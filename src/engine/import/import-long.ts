import { ConflictError } from '../../errors/index.ts'
import { anyOf, exactly, type RecordDraft, within } from '../../model/index.ts'
import type { ImportResult, ImportRow } from '../api/portability.ts'
import { listPages } from '../listing.ts'
import { changesOfPart, inParts, outcomeOfParts, type Parts } from '../parts.ts'
import type { CallKey, Planned, WriteInput } from '../write-verb.ts'
import { answerRows, countRows, refuseRows } from './answer-rows.ts'
import type { LongFile } from './check-file.ts'
import { decideRows, type Import, keyIsTaken, withoutKey } from './decide-rows.ts'
import type { Lines } from './lines.ts'
import { type Row, readParts } from './read-parts.ts'

const advice = 'import the same file again to go on, or undo it.'

/** The file was written to while it was imported. */
function changedFile(row: number): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `import: the file changed after it was checked, before row ${row}. Nothing of what changed was imported.`,
    details: { row },
  })
}

/** Rows that were checked before, decided anew against what is there now. */
async function planPart(given: Import, { ids }: LongFile, rows: readonly Row[]): Promise<Planned> {
  const decided = (await decideRows(given, rows, { ids, all: true })).map((one) =>
    keyIsTaken(given, one, ids) ? withoutKey(one) : one,
  )
  const failed = decided.flatMap(({ report }) => (report.outcome === 'failed' ? [report] : []))
  if (failed.length > 0) throw refuseRows(failed)
  const steps = decided.flatMap(({ step }) => step ?? [])
  // Who has a key of the file is in it and gets its own, or goes: maybe in a later part.
  const releases = decided.flatMap(({ step, holder }): RecordDraft[] =>
    holder !== undefined && step?.type === 'put' ? [step.after] : [],
  )
  return { steps, refs: [], releases, extra: decided.map(({ report }) => ({ ...report })) }
}

/** Ids of what `replace` deletes: what is there before anything is written, and not in the file. */
async function idsToGo({ core, ceiling, mode, signal }: Import, { ids, scopes }: LongFile): Promise<readonly string[]> {
  if (mode !== 'replace') return []
  // Without a bound, only what the file speaks of is replaced: never the rest of the store.
  const target = ceiling ? within(ceiling) : anyOf(scopes.map(exactly))
  const gone: string[] = []
  for await (const page of listPages(core, target, { statuses: 'any', signal }, { bare: true }))
    for (const { record } of page) if (!ids.has(record.id)) gone.push(record.id)
  return gone
}

async function removeInParts(
  { core, ceiling, signal }: Import,
  { scopes }: LongFile,
  gone: readonly string[],
  parts: Parts<ImportResult>,
): Promise<void> {
  const target = ceiling ? within(ceiling) : anyOf(scopes.map(exactly))
  for (let start = 0; start < gone.length; start += changesOfPart) {
    await parts.write(async () => {
      const found = await core.store.get(target, gone.slice(start, start + changesOfPart), { signal, bare: true })
      const steps = found.flatMap((before) => (before ? [{ type: 'remove', op: 'delete', before } as const] : []))
      return { steps, refs: [], extra: [] }
    })
  }
}

/**
 * Writes a checked file in several transactions, reading it a second time. What `replace` deletes goes last, so that an
 * end half-way loses nothing.
 */
export async function importLong(
  given: Import,
  lines: Lines,
  file: LongFile,
  input: WriteInput,
  key: CallKey,
): Promise<ImportResult> {
  const { onProgress } = input
  const total = file.ids.size
  let done = 0
  const progress = onProgress && { onProgress: (count: number) => onProgress(done + count, total) }
  const parts = inParts(given.core, { name: 'import', answer: answerRows }, { ...input, ...progress }, key, advice)
  const gone = await idsToGo(given, file)
  const rows: ImportRow[] = []
  const answers: ImportResult[] = []
  let number = 0
  for await (const part of readParts(lines, input.signal)) {
    if (part.digest !== file.parts[number++]) throw changedFile(part.rows[0]?.row ?? 1)
    const { rows: own, ...answer } = await parts.write(() => planPart(given, file, part.rows))
    for (const row of own) rows.push(row)
    answers.push({ ...answer, rows: [] })
    done += own.filter(({ id }) => id !== undefined).length
    onProgress?.(done, total)
  }
  await removeInParts(given, file, gone, parts)
  return { ...countRows(rows), ...outcomeOfParts(parts.tx, answers) }
}

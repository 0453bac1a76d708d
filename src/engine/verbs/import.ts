import { z } from 'zod'
import { anyOf, exactly, type Scope, within } from '../../model/index.ts'
import { contradiction, denied, writeScope } from '../access.ts'
import type { ImportResult } from '../api/portability.ts'
import { answerRows, countRows, refuseRows } from '../import/answer-rows.ts'
import { checkFile, type ShortFile } from '../import/check-file.ts'
import { decideRows, type Import, keyIsTaken, withoutKey } from '../import/decide-rows.ts'
import { importLong } from '../import/import-long.ts'
import { type Lines, openLines } from '../import/lines.ts'
import { listAll } from '../listing.ts'
import { earlierCall } from '../repeated-call.ts'
import { type Call, defineVerb, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { type CallKey, callKey, type Planned, runWrite } from '../write-verb.ts'
import { leftAlone, planSnapshot, readSnapshot, wholeStore } from './import-snapshot.ts'

const input = () =>
  z.strictObject({
    source: z.unknown(),
    format: z.enum(['mneme', 'jsonl', 'apollia-1']).optional(),
    mode: z.enum(['merge', 'replace']).optional(),
    ifExists: z.enum(['error', 'update', 'skip']).optional(),
    onProgress: z.custom<(done: number, total: number) => void>((value) => typeof value === 'function').optional(),
    allScopes: z.boolean().optional(),
    ...writeOptions,
  })
type Input = z.infer<ReturnType<typeof input>>

/** What a file that is held in memory does, in one transaction. */
async function planShort(given: Import, { rows }: ShortFile, dryRun: boolean | undefined): Promise<Planned> {
  const { core, ceiling, mode, signal } = given
  const ids = new Set<string>()
  const found = await decideRows(given, rows, { ids, all: false })
  const decided = found.map((one) => (keyIsTaken(given, one, ids) ? withoutKey(one) : one))
  const failed = decided.flatMap(({ report }) => (report.outcome === 'failed' ? [report] : []))
  if (failed.length > 0 && !dryRun) throw refuseRows(failed)
  const steps = decided.flatMap(({ step }) => step ?? [])
  if (mode === 'replace') {
    const scopes = rows.flatMap(({ line }) => (line?.type === 'record' ? [line.record.scope] : []))
    // Without a bound, only what the file speaks of is replaced: never the rest of the store.
    const target = ceiling ? within(ceiling) : anyOf(scopes.map(exactly))
    const held = await listAll(core, target, { statuses: 'any', signal })
    const gone = held.filter(({ record }) => !ids.has(record.id))
    steps.unshift(...gone.map((before): WorkStep => ({ type: 'remove', op: 'delete', before })))
  }
  return { steps, refs: [], extra: decided.map(({ report }) => ({ ...report })) }
}

function keyOf({ access }: Call, given: Input, digest: string): CallKey {
  // Into every scope there need not be one of the call.
  if (given.idempotencyKey === undefined) return undefined
  const { onProgress: _progress, ...options } = given
  const input = { ...options, source: digest }
  return callKey('import', writeScope(access, given.scope), input)
}

async function importFile(call: Call, given: Input, lines: Lines, ceiling: Scope | undefined): Promise<ImportResult> {
  const { core } = call
  const importing: Import = { core, ceiling, mode: given.mode, ifExists: given.ifExists, signal: given.signal }
  const file = await checkFile(importing, lines, given)
  const key = keyOf(call, given, file.digest)
  if ('rows' in file) {
    const plan = () => planShort(importing, file, given.dryRun)
    return runWrite(core, { name: 'import', plan, answer: answerRows }, given, key)
  }
  if (given.dryRun) return countRows(file.reports)
  // What a repeated call wrote before may be in its way now: then it is answered from what it wrote.
  const isRepeated = key !== undefined && (await earlierCall(core, key, given.signal)) !== null
  if (file.failed.length > 0 && !isRepeated) throw refuseRows(file.failed)
  return importLong(importing, lines, file, given, key)
}

async function importSnapshot(
  call: Call,
  given: Input,
  lines: Lines,
  ceiling: Scope | undefined,
): Promise<ImportResult> {
  if (ceiling === undefined) throw wholeStore()
  if (given.ifExists !== undefined && given.ifExists !== 'skip') throw leftAlone()
  const { reads, digest } = await readSnapshot(call, lines, given, ceiling)
  const plan = () => planSnapshot(call, reads, given, ceiling)
  return runWrite(call.core, { name: 'import', plan, answer: answerRows }, given, keyOf(call, given, digest))
}

export const importLines = defineVerb({
  name: 'import',
  summary: 'Read what export wrote: all rows are checked before anything is written.',
  positional: ['source'],
  input,
  writes: true,
  example: 'mneme import ann.jsonl --dry-run',
  async run(call, given): Promise<ImportResult> {
    const { access, core } = call
    // Inside the scope of the call; the root engine may say allScopes, and then the file says where (EXP-6).
    const everywhere = given.allScopes === true && access.ceiling === undefined && !access.readOnly
    if (everywhere && given.scope !== undefined) throw contradiction()
    if (given.allScopes && !everywhere) throw denied('allScopes')
    const ceiling = everywhere ? undefined : writeScope(access, given.scope)
    const lines = await openLines(core.store, given.source)
    try {
      return await (given.format === 'apollia-1'
        ? importSnapshot(call, given, lines, ceiling)
        : importFile(call, given, lines, ceiling))
    } finally {
      await lines.close()
    }
  },
})

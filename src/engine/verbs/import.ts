import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import {
  allScopes,
  anyOf,
  equalJson,
  exactly,
  isWithin,
  type MemoryRecord,
  type Scope,
  scopeKey,
  within,
} from '../../model/index.ts'
import { turns } from '../../vector/index.ts'
import { contradiction, denied, writeScope } from '../access.ts'
import type { ImportResult, ImportRow } from '../api/portability.ts'
import { listAll } from '../listing.ts'
import { mapInTurns } from '../map-in-turns.ts'
import { type PortableLine, parseHead, parseLine, reasonOf } from '../portable-lines.ts'
import { sourceLines } from '../source-lines.ts'
import { type Call, defineVerb, writeOptions } from '../verb.ts'
import { inputDigest, type WorkStep } from '../work.ts'
import { type Answered, outcomeOf, type Planned, runWrite } from '../write-verb.ts'
import { type Decided, refuseFailed } from './import-rows.ts'
import { planSnapshot, readSnapshot, wholeStore } from './import-snapshot.ts'

const input = () =>
  z.strictObject({
    source: z.unknown(),
    format: z.enum(['mneme', 'apollia-1']).optional(),
    mode: z.enum(['merge', 'replace']).optional(),
    ifExists: z.enum(['error', 'update', 'skip']).optional(),
    onProgress: z.custom<(done: number, total: number) => void>((value) => typeof value === 'function').optional(),
    allScopes: z.boolean().optional(),
    ...writeOptions,
  })
type Input = z.infer<ReturnType<typeof input>>

interface Row {
  readonly row: number
  readonly line: PortableLine | null
  readonly reason?: string
}

/** Every row, read and checked by itself. */
async function readRows(given: Input): Promise<{ readonly rows: readonly Row[]; readonly digest: string }> {
  const rows: Row[] = []
  const hash = createHash('sha256')
  let number = 0
  const turn = turns({ signal: given.signal })
  for await (const text of sourceLines(given.source)) {
    given.signal?.throwIfAborted()
    if (turn.isOver) await turn.pause()
    number++
    hash.update(`${text}\n`)
    if (number === 1) parseHead(text.replace(/^\uFEFF/, ''))
    else if (text.trim() !== '') {
      try {
        rows.push({ row: number, line: parseLine(text) })
      } catch (error) {
        rows.push({ row: number, line: null, reason: reasonOf(error) })
      }
    }
  }
  if (number === 0) parseHead(undefined)
  const last = rows.at(-1)
  const count = (type: string) => rows.filter(({ line }) => line?.type === type).length
  const whole = last?.line?.type === 'end' && last.line.records === count('record') && last.line.links === count('link')
  if (!whole && rows.every(({ line }) => line !== null)) {
    rows.push({
      row: (last?.row ?? 1) + 1,
      line: null,
      reason: 'the file was cut off: its end does not count all of its rows.',
    })
  }
  return { rows, digest: hash.digest('base64url') }
}

/** What the record would be, were it written over the one that is there. */
function sameRecord(existing: MemoryRecord, given: object): boolean {
  const comparable = (record: object) => {
    const {
      version: _v,
      updatedAt: _u,
      createdAt: _c,
      accessCount: _a,
      lastAccessedAt: _l,
      ...rest
    } = record as MemoryRecord
    return rest
  }
  return equalJson(comparable(existing), comparable(given))
}

function decideRecord(
  row: Row,
  line: PortableLine & { type: 'record' },
  existing: StoredRecord | undefined,
  given: Input,
  ceiling: Scope | undefined,
): Decided {
  const { id, scope } = line.record
  const report = (outcome: ImportRow['outcome'], reason?: string): Decided => ({
    report: { row: row.row, id, outcome, ...(reason === undefined ? {} : { reason }) },
  })
  if (ceiling && !isWithin(scope, ceiling)) return report('failed', 'the record lies outside the scope of this call.')
  const replacing = given.mode === 'replace'
  if (existing && scopeKey(existing.record.scope) !== scopeKey(scope))
    return report('failed', 'a record of another scope has this id.')
  if (existing && !replacing) {
    if (sameRecord(existing.record, line.record)) return report('skipped', 'the same record is there')
    if (given.ifExists === 'skip') return report('skipped', 'a record with this id is there')
    if (given.ifExists !== 'update')
      return report('failed', 'a record with this id is there with other content; say ifExists: update or skip.')
  }
  const { version, createdAt, updatedAt, ...draft } = line.record
  const after = existing ? draft : { ...draft, version, createdAt, updatedAt }
  const vector = line.vector ?? undefined
  return {
    step: {
      type: 'put',
      op: 'import',
      planOp: existing ? 'update' : 'add',
      before: existing ?? null,
      after,
      vector,
    } as WorkStep,
    report: { row: row.row, id, outcome: existing ? 'updated' : 'imported' },
  }
}

/** Ends of links that are there already and may be linked by this call. */
async function reachableEnds(
  call: Call,
  rows: readonly Row[],
  given: Input,
  ceiling: Scope | undefined,
): Promise<Set<string>> {
  const ends = rows.flatMap(({ line }) => (line?.type === 'link' ? [line.link.from, line.link.to] : []))
  const reach = ceiling ? within(ceiling) : allScopes()
  const found = await call.core.store.get(reach, [...new Set(ends)], { signal: given.signal })
  return new Set(found.flatMap((stored) => stored?.record.id ?? []))
}

/** What the rows would do, decided one by one against what is there now. */
async function decideRows(
  call: Call,
  rows: readonly Row[],
  given: Input,
  ceiling: Scope | undefined,
): Promise<Decided[]> {
  const { core } = call
  const ids = rows.flatMap(({ line }) => (line?.type === 'record' ? [line.record.id] : []))
  const found = await core.store.get(allScopes(), ids, { signal: given.signal })
  const existing = new Map(found.flatMap((one) => (one ? [[one.record.id, one] as const] : [])))
  const linkable = await reachableEnds(call, rows, given, ceiling)
  // Records come before links in a file: what is not there by then is not in it.
  const seen = new Set<string>()
  const decide = (row: Row): Decided[] => {
    if (row.line === null) return [{ report: { row: row.row, outcome: 'failed', reason: row.reason ?? 'unreadable' } }]
    if (row.line.type === 'end') return []
    if (row.line.type === 'link') {
      const { from, to } = row.line.link
      const reachable = (id: string) => seen.has(id) || linkable.has(id)
      return [
        reachable(from) && reachable(to)
          ? { step: { type: 'link', link: row.line.link }, report: { row: row.row, outcome: 'imported' } }
          : {
              report: { row: row.row, outcome: 'failed', reason: 'a link needs two records that this call may reach.' },
            },
      ]
    }
    const { id } = row.line.record
    if (seen.has(id)) {
      return [{ report: { row: row.row, id, outcome: 'failed', reason: 'the file holds this id twice.' } }]
    }
    seen.add(id)
    // Vectors of another embedder are of no use here: the text is embedded anew.
    const useless = row.line.vector !== null && row.line.vector.space !== core.embedder?.id
    return [decideRecord(row, useless ? { ...row.line, vector: null } : row.line, existing.get(id), given, ceiling)]
  }
  return (await mapInTurns(rows, decide, given.signal)).flat()
}

async function planRows(call: Call, rows: readonly Row[], given: Input, ceiling: Scope | undefined): Promise<Planned> {
  const decided = await decideRows(call, rows, given, ceiling)
  if (!given.dryRun) refuseFailed(decided)
  const steps = decided.flatMap(({ step }) => step ?? [])
  if (given.mode === 'replace') {
    const records = rows.flatMap(({ line }) => (line?.type === 'record' ? [line.record] : []))
    const kept = new Set(records.map(({ id }) => id))
    // Without a bound, only what the file speaks of is replaced: never the rest of the store.
    const target = ceiling ? within(ceiling) : anyOf(records.map(({ scope }) => exactly(scope)))
    const held = await listAll(call.core, target, { statuses: 'any', signal: given.signal })
    const gone = held.filter(({ record }) => !kept.has(record.id))
    steps.unshift(...gone.map((before): WorkStep => ({ type: 'remove', op: 'delete', before })))
  }
  return { steps, refs: [], extra: decided.map(({ report }) => ({ ...report })) }
}

function answerRows(answered: Answered): ImportResult {
  const rows = answered.extra as unknown as ImportRow[]
  const count = (outcome: string) => rows.filter((row) => row.outcome === outcome && row.id !== undefined).length
  const failed = rows.filter((row) => row.outcome === 'failed').length
  return {
    imported: count('imported'),
    updated: count('updated'),
    skipped: count('skipped'),
    failed,
    rows,
    ...outcomeOf(answered),
  }
}

/** Reads the source once; what is planned from it may be planned again. */
async function readSource(
  call: Call,
  given: Input,
  ceiling: Scope | undefined,
): Promise<{ readonly planned: () => Promise<Planned>; readonly digest: string }> {
  if (given.format === 'apollia-1') {
    if (ceiling === undefined) throw wholeStore()
    const { reads, digest } = await readSnapshot(call, given, ceiling)
    return { planned: () => planSnapshot(call, reads, given, ceiling), digest }
  }
  const { rows, digest } = await readRows(given)
  return { planned: () => planRows(call, rows, given, ceiling), digest }
}

export const importLines = defineVerb({
  name: 'import',
  summary: 'Read what export wrote: all rows are checked first, then written in one transaction.',
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
    const { planned, digest } = await readSource(call, given, ceiling)
    const { source: _source, onProgress: _progress, ...options } = given
    const key = given.idempotencyKey && {
      scope: writeScope(access, given.scope),
      key: given.idempotencyKey,
      digest: inputDigest('import', { ...options, source: digest }),
    }
    const write = { name: 'import', plan: planned, answer: answerRows }
    return runWrite(core, write, given, key || undefined)
  },
})

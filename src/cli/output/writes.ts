import type {
  AddManyResult,
  AddResult,
  ApplyResult,
  DeleteResult,
  ForgetResult,
  ImportResult,
  LinkResult,
  MaintainResult,
  ReportResult,
  SupersedeResult,
  UndoResult,
  WriteResult,
} from '../../engine/index.ts'
import { amount, memories } from './amount.ts'
import type { Renderer } from './answer.ts'
import { bad, type Cell, good, line, table } from './lines.ts'
import { txCells } from './plan.ts'
import { noSuchMemory } from './records.ts'
import { contradicted, failedStages, type Written, written } from './written.ts'

export const add: Renderer<Written<AddResult>> = (answer, asked) =>
  answer.conflict === undefined
    ? written(answer, asked, [line(good(answer.outcome), '  ', answer.record.id)])
    : contradicted(answer, asked, answer.conflict, answer.record.id)

export const addMany: Renderer<Written<AddManyResult>> = (answer, asked) =>
  written(answer, asked, [
    ...answer.results.map(({ record, outcome }) =>
      line(outcome === 'conflict' ? bad(outcome) : good(outcome), '  ', record.id),
    ),
    line(`${memories(answer.results.length)} in one transaction`),
  ])

export function changed(verb: string): Renderer<Written<WriteResult>> {
  return (answer, asked) =>
    answer.conflict === undefined
      ? written(answer, asked, [line(good(verb), '  ', answer.record.id, `  version ${answer.record.version}`)])
      : contradicted(answer, asked, answer.conflict, answer.record.id)
}

export const supersede: Renderer<Written<SupersedeResult>> = (answer, asked) =>
  answer.conflict === undefined
    ? written(answer, asked, [line(good('superseded'), '  ', answer.previous.id, '  by  ', answer.record.id)])
    : contradicted(answer, asked, answer.conflict, answer.record.id)

/** One that is not there is nothing that went: the same words as when it is asked for. */
export const deleteOne: Renderer<Written<DeleteResult>> = (answer, asked) =>
  answer.deleted === 0 ? { lines: [], notes: [noSuchMemory] } : deleteMany(answer, asked)

export const deleteMany: Renderer<Written<DeleteResult>> = (answer, asked) =>
  written(answer, asked, [line(good('deleted'), `  ${memories(answer.deleted)}`)])

export const forget: Renderer<Written<ForgetResult>> = (answer, asked) =>
  written(answer, asked, [
    ...answer.ids.map((id) => line(id)),
    line(good('forgotten'), `  ${memories(answer.ids.length)}`),
  ])

export const report: Renderer<Written<ReportResult>> = (answer, asked) =>
  written(answer, asked, [
    answer.record === null
      ? line(bad('removed'), '  it failed too often')
      : line(good('reported'), '  ', answer.record.id, `  reliability ${answer.record.reliability.toFixed(2)}`),
  ])

export const maintain: Renderer<Written<MaintainResult>> = (answer, asked) => {
  const groups = (['expired', 'pruned', 'evicted', 'archived'] as const).map((what) => [what, answer[what]] as const)
  const gone = groups.flatMap(([what, ids]) => ids.map((id) => [good(what), id, answer.why[id] ?? '']))
  const { length } = gone
  return written(answer, asked, [...table(gone), line(length === 0 ? 'nothing to do' : memories(length))])
}

export function linked(verb: string): Renderer<Written<LinkResult>> {
  return (answer, asked) =>
    answer.link === null
      ? { lines: [], notes: ['There is no such link.'] }
      : written(answer, asked, [
          line(good(verb), '  ', answer.link.from, ' → ', answer.link.to, `  ${answer.link.type}`),
        ])
}

export const undo: Renderer<Written<UndoResult>> = (answer, asked) => {
  const { length } = answer.reverted
  const said = length === 1 ? '  1 memory is as it was before' : `  ${length} memories are as they were before`
  const ids = answer.reverted.flatMap((id): Cell[] => ['  ', id])
  return written(answer, asked, [line(good('undone'), said, ...ids)])
}

export const apply: Renderer<Written<ApplyResult>> = (answer, asked) =>
  written(answer, asked, [
    ...table(answer.results.map(({ op, id }) => [good(op), id ?? ''])),
    line(`${amount(answer.results.length, 'step')} in one transaction`),
  ])

export const imported: Renderer<Written<ImportResult>> = (answer, { options }) => {
  const { rows, tx, degraded } = answer
  const isDry = options.dryRun === true
  const failed = rows.filter(({ outcome }) => outcome === 'failed')
  const counts = `${answer.imported} imported, ${answer.updated} updated, ${answer.skipped} skipped, ${answer.failed} failed`
  return {
    lines: [
      line(isDry ? 'would be: ' : '', counts, ...txCells(tx)),
      ...table(failed.map(({ row, id, reason }) => [`row ${row}`, id ?? '', bad(reason ?? 'failed')])),
    ],
    notes: isDry ? ['Nothing was written.'] : failedStages(degraded),
  }
}

import type {
  AddManyResult,
  AddResult,
  ApplyResult,
  DeleteResult,
  ExplainResult,
  ImportResult,
  LinkResult,
  ListResult,
  NeighborsResult,
  PendingResult,
  Plan,
  RebuildResult,
  SearchHit,
  SearchResult,
  Stats,
  SupersedeResult,
  UndoResult,
  VerifyResult,
  WriteResult,
} from '../../engine/index.ts'
import type { Change, MemoryRecord, Revision } from '../../model/index.ts'
import type { Rendering } from './answer.ts'
import { bad, bold, type Cell, dim, good, type Line, line, table, wholeLine } from './lines.ts'
import { planLines, txCells } from './plan.ts'
import { fullRecordLines, linkLines, moment, recordLines, scopeText } from './records.ts'

type Renderer<Answer> = (answer: Answer) => Rendering

function more(cursor: string | undefined): string[] {
  return cursor === undefined ? [] : [`There is more: repeat with --cursor ${cursor}`]
}

function nothing(found: readonly unknown[], text: string): string[] {
  return found.length === 0 ? [text] : []
}

/** A write in a line: what was done, to what, in which transaction; or the plan of what would be. */
function written(
  answer: { readonly tx?: string | undefined; readonly plan?: Plan | undefined },
  ...done: Cell[]
): Rendering {
  if (answer.plan) return planLines(answer.plan)
  return { lines: [line(...done, ...txCells(answer.tx))] }
}

function hitLines(hit: SearchHit): Line[] {
  const { explanation } = hit
  const lines = recordLines(hit, [bold(hit.score.toFixed(2)), '  '])
  if (!explanation) return lines
  const numbers = { relevance: explanation.relevance, ...explanation.factors, ...explanation.signals }
  const shown = Object.entries(numbers).map(([name, value]) => `${name} ${value.toFixed(3)}`)
  return [...lines, wholeLine('      ', dim(`${shown.join('  ')}  by ${Object.values(explanation.ran).join(', ')}`))]
}

const search: Renderer<SearchResult> = ({ results, nextCursor, degraded = [] }) => ({
  lines: results.flatMap(hitLines),
  notes: [
    ...nothing(results, 'Nothing found.'),
    ...degraded.map(({ stage, code, message }) => `The ${stage} could not do its part: ${code}: ${message}`),
    // People ask for more at once; programs have the cursor in json.
    ...(nextCursor === undefined ? [] : ['There is more: -k NUMBER shows more at once.']),
  ],
})

const list: Renderer<ListResult> = ({ records, nextCursor }) => ({
  lines: records.flatMap((record) => recordLines(record)),
  notes: [...nothing(records, 'No memories here.'), ...more(nextCursor)],
})

const get: Renderer<MemoryRecord | null> = (record) =>
  record === null
    ? { lines: [], notes: ['No such memory in this scope. Check the id and the scope.'] }
    : { lines: fullRecordLines(record) }

const getMany: Renderer<readonly (MemoryRecord | null)[]> = (records) => ({
  lines: records.flatMap((record) => (record === null ? [line(dim('(no such memory)'))] : recordLines(record))),
})

const add: Renderer<AddResult> = (answer) => written(answer, good(answer.outcome), '  ', answer.record.id)

const addMany: Renderer<AddManyResult> = ({ results, tx, plan }) =>
  plan
    ? planLines(plan)
    : {
        lines: [
          ...results.map(({ record, outcome }) => line(good(outcome), '  ', record.id)),
          line(`${results.length} in one transaction`, ...txCells(tx)),
        ],
      }

function changed(verb: string): Renderer<WriteResult> {
  return (answer) => written(answer, good(verb), '  ', answer.record.id, `  version ${answer.record.version}`)
}

const supersede: Renderer<SupersedeResult> = (answer) =>
  written(answer, good('superseded'), '  ', answer.previous.id, '  by  ', answer.record.id)

const deleted: Renderer<DeleteResult> = (answer) => written(answer, good('deleted'), `  ${answer.deleted}`)

function linked(verb: string): Renderer<LinkResult> {
  return (answer) =>
    answer.link === null
      ? { lines: [], notes: ['There is no such link.'] }
      : written(answer, good(verb), '  ', answer.link.from, ' → ', answer.link.to, `  ${answer.link.type}`)
}

const undo: Renderer<UndoResult> = (answer) =>
  written(
    answer,
    good('undone'),
    `  ${answer.reverted.length} as before`,
    ...answer.reverted.flatMap((id) => ['  ', id]),
  )

const apply: Renderer<ApplyResult> = ({ results, tx }) => ({
  lines: [
    ...table(results.map(({ op, id }) => [good(op), id ?? ''])),
    line(`${results.length} steps in one transaction`, ...txCells(tx)),
  ],
})

const neighbors: Renderer<NeighborsResult> = ({ records, links }) => ({
  lines: [...records.flatMap((record) => recordLines(record)), ...linkLines(links)],
  notes: nothing(links, 'It is linked with nothing.'),
})

const explain: Renderer<ExplainResult> = ({ id, found, stage, rank, score, parts }) => ({
  lines: [
    line(bold(id), '  ', found ? `decided at stage ${stage}` : bad('not in this scope')),
    ...table([
      ...(rank === undefined ? [] : [[dim('rank'), String(rank)]]),
      ...(score === undefined ? [] : [[dim('score'), score.toFixed(4)]]),
      ...Object.entries(parts).map(([name, value]) => [
        dim(name),
        typeof value === 'number' ? String(Number(value.toFixed(4))) : String(value),
      ]),
    ]),
  ],
})

const history: Renderer<readonly Revision[]> = (revisions) => ({
  lines: revisions.flatMap(({ version, at, op, actor, reason, tx, record }) => [
    line(
      bold(`v${version}`),
      `  ${moment(at)}  `,
      op,
      ...(actor === undefined ? [] : [`  by ${actor}`]),
      ...(reason === undefined ? [] : [`  (${reason})`]),
      ...txCells(tx),
    ),
    line('      ', record === null ? dim('(nothing of its content is left)') : record.content),
  ]),
  notes: nothing(revisions, 'No such memory in this scope.'),
})

/** A change in one line. */
export function changeLine({ at, op, id, kind, version, record }: Change): Line {
  return line(
    moment(at),
    '  ',
    op.padEnd(10),
    '  ',
    dim(id),
    `  v${version}  ${kind}  `,
    record?.content ?? dim('(gone)'),
  )
}

const changes: Renderer<{ changes: readonly Change[]; cursor: string }> = ({ changes: found, cursor }) => ({
  lines: found.map(changeLine),
  notes: [found.length === 0 ? 'Nothing changed.' : `What comes next: repeat with --after ${cursor}`],
})

function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

const stats: Renderer<Stats> = (answer) => {
  const { byScope = [], embedder } = answer
  return {
    lines: [
      ...table([
        [dim('memories'), `${answer.total}, ${answer.live} of them live`],
        [dim('by kind'), counted(answer.byKind)],
        [dim('by status'), counted(answer.byStatus)],
        [dim('size'), `${(answer.sizeBytes / 1e6).toFixed(1)} MB, ${answer.store} store`],
        [
          dim('embedder'),
          embedder === null ? 'none: text search only' : `${embedder.id}, ${embedder.dimensions} dimensions`,
        ],
        [
          dim('waiting'),
          answer.pending === 0 ? 'nothing waits for its vector' : `${answer.pending} wait for their vector`,
        ],
      ]),
      ...table(
        byScope.map(({ scope, count }) => [String(count), scopeText(scope)]),
        [0],
      ),
    ],
  }
}

const pending: Renderer<PendingResult> = ({ records }) => ({
  lines: table(
    records.map(({ id, attempts, since, lastError }) => [id, moment(since), `${attempts} attempts`, lastError ?? '']),
  ),
  notes: nothing(records, 'Nothing waits for its vector.'),
})

const verify: Renderer<VerifyResult> = ({ ok, problems, checked }) => ({
  lines: [
    line(ok ? good('✓ all is well') : bad(`✗ ${problems.length} problems`), `  ${checked} memories checked`),
    ...table(problems.map(({ code, id, message }) => [bad(code), id ?? '', message])).map((each) => ({
      ...each,
      whole: true,
    })),
  ],
})

const rebuild: Renderer<RebuildResult> = ({ records, analysed, embedded }) => ({
  lines: [line(good('rebuilt'), `  ${records} memories: terms of ${analysed}, vectors of ${embedded} made anew`)],
})

const imported: Renderer<ImportResult> = (answer) => {
  const { rows, plan, tx } = answer
  const failed = rows.filter(({ outcome }) => outcome === 'failed')
  const counts = `${answer.imported} imported, ${answer.updated} updated, ${answer.skipped} skipped, ${answer.failed} failed`
  return {
    lines: [
      line(plan ? 'would be: ' : '', counts, ...txCells(tx)),
      ...table(failed.map(({ row, id, reason }) => [`row ${row}`, id ?? '', bad(reason ?? 'failed')])),
    ],
    notes: plan ? ['Nothing was written.'] : [],
  }
}

const backup: Renderer<{ path: string }> = ({ path }) => ({ lines: [wholeLine(good('copied'), '  to ', path)] })

/** How the answer of each verb looks to people. */
export const renderers: Readonly<Record<string, (answer: never) => Rendering>> = {
  add,
  addMany,
  search,
  get,
  getMany,
  list,
  update: changed('updated'),
  supersede,
  invalidate: changed('invalidated'),
  restore: changed('restored'),
  delete: deleted,
  deleteMany: deleted,
  link: linked('linked'),
  unlink: linked('unlinked'),
  neighbors,
  explain,
  history,
  changes,
  undo,
  apply,
  stats,
  pending,
  verify,
  rebuild,
  import: imported,
  backup,
}

/** A verb that nobody wrote a rendering for is shown as what it is. */
export function renderAnswer(verb: string, answer: unknown): Rendering {
  const render = renderers[verb] as Renderer<unknown> | undefined
  if (render) return render(answer)
  return {
    lines: JSON.stringify(answer, null, 2)
      .split('\n')
      .map((text) => wholeLine(text)),
  }
}

import type {
  AddManyResult,
  AddResult,
  ApplyResult,
  ContextResult,
  DeleteResult,
  ForgetResult,
  ImportResult,
  JournalResult,
  LinkResult,
  ListResult,
  MaintainResult,
  NeighborsResult,
  PathsResult,
  PendingResult,
  RebuildResult,
  ReportResult,
  SearchHit,
  SearchResult,
  Stats,
  SupersedeResult,
  UndoResult,
  UsageResult,
  VerifyJournalResult,
  VerifyResult,
  WriteResult,
} from '../../engine/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import { amount, memories } from './amount.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { conflictList, conflictResolved } from './conflicts.ts'
import { entitiesMerged, entityList, entitySet, entityShown } from './entities.ts'
import { explain, whyLines } from './explanation.ts'
import { changes, history } from './history.ts'
import {
  factEntry,
  factHistory,
  factList,
  factSet,
  factValue,
  keyDelete,
  kvGet,
  kvList,
  kvNamespaces,
  kvPut,
} from './keyed.ts'
import { learnt } from './learning.ts'
import { bad, bold, type Cell, dim, good, type Line, line, table, wholeLine } from './lines.ts'
import { txCells } from './plan.ts'
import {
  distinctScopes,
  fullRecordLines,
  linkLines,
  moment,
  noSuchMemory,
  recordLines,
  recordsShown,
  scopeText,
} from './records.ts'
import { skillFile, skillLearnt, skillMatches, skillsExported, skillsImported, skillVersions } from './skills.ts'
import { consolidated, summarized, summaryKept, summaryRefreshed } from './summaries.ts'
import { toolLearnt, toolMatches, toolShown, toolVersions } from './tools.ts'
import { contradicted, failedStages, type Written, written } from './written.ts'

type Renderer<Answer> = (answer: Answer, asked: Asked) => Rendering

function nothing(found: readonly unknown[], text: string): string[] {
  return found.length === 0 ? [text] : []
}

function hitLines(hit: SearchHit, showScope: boolean, asked: Asked): Line[] {
  return [...recordLines(hit, showScope, [bold(hit.score.toFixed(2)), '  ']), ...whyLines(hit, asked)]
}

const search: Renderer<SearchResult> = ({ results, nextCursor, degraded }, asked) => {
  const showScope = asked.options.allScopes === true || distinctScopes(results) > 1
  return {
    lines: results.flatMap((hit) => hitLines(hit, showScope, asked)),
    notes: [
      ...nothing(results, 'Nothing found.'),
      ...failedStages(degraded),
      // People ask for more at once; programs have the cursor in json.
      ...(nextCursor === undefined ? [] : ['There is more: -k NUMBER shows more at once.']),
    ],
  }
}

/** What would be there with other options: for want of room always, and what scored too little where nothing else is there. */
function leftOut({ text, omitted }: ContextResult): string[] {
  const count = (why: ContextResult['omitted'][number]['why']) => omitted.filter((one) => one.why === why).length
  const parts = [
    ...(count('budget') > 0 ? [`${count('budget')} for want of room (--tokens)`] : []),
    ...(text === '' && count('below threshold') > 0
      ? [`${count('below threshold')} that have little to do with it (--min-score)`]
      : []),
  ]
  return parts.length === 0 ? [] : [`Left out: ${parts.join(', ')}.`]
}

/** The text as it is, to be piped on. */
const context: Renderer<ContextResult> = (answer) => ({
  lines: answer.text === '' ? [] : answer.text.split('\n').map((row) => wholeLine(row)),
  notes: [...(answer.text === '' ? ['Nothing to show.'] : []), ...leftOut(answer), ...failedStages(answer.degraded)],
})

const list: Renderer<ListResult> = ({ records, nextCursor }, { options }) => ({
  lines: records.flatMap(recordsShown(records, options.allScopes === true)),
  notes: [
    ...nothing(records, 'No memories here.'),
    ...(nextCursor === undefined ? [] : [`There is more: repeat with --cursor ${nextCursor}`]),
  ],
})

const get: Renderer<MemoryRecord | null> = (record) =>
  record === null ? { lines: [], notes: [noSuchMemory] } : { lines: fullRecordLines(record) }

const getMany: Renderer<readonly (MemoryRecord | null)[]> = (records, { options }) => {
  const found = records.filter((record) => record !== null)
  const show = recordsShown(found, options.allScopes === true)
  return { lines: records.flatMap((record) => (record === null ? [line(dim('(no such memory)'))] : show(record))) }
}

const add: Renderer<Written<AddResult>> = (answer, asked) =>
  answer.conflict === undefined
    ? written(answer, asked, [line(good(answer.outcome), '  ', answer.record.id)])
    : contradicted(answer, asked, answer.conflict, answer.record.id)

const addMany: Renderer<Written<AddManyResult>> = (answer, asked) =>
  written(answer, asked, [
    ...answer.results.map(({ record, outcome }) =>
      line(outcome === 'conflict' ? bad(outcome) : good(outcome), '  ', record.id),
    ),
    line(`${memories(answer.results.length)} in one transaction`),
  ])

function changed(verb: string): Renderer<Written<WriteResult>> {
  return (answer, asked) =>
    answer.conflict === undefined
      ? written(answer, asked, [line(good(verb), '  ', answer.record.id, `  version ${answer.record.version}`)])
      : contradicted(answer, asked, answer.conflict, answer.record.id)
}

const supersede: Renderer<Written<SupersedeResult>> = (answer, asked) =>
  answer.conflict === undefined
    ? written(answer, asked, [line(good('superseded'), '  ', answer.previous.id, '  by  ', answer.record.id)])
    : contradicted(answer, asked, answer.conflict, answer.record.id)

/** One that is not there is nothing that went: the same words as when it is asked for. */
const deleteOne: Renderer<Written<DeleteResult>> = (answer, asked) =>
  answer.deleted === 0 ? { lines: [], notes: [noSuchMemory] } : deleteMany(answer, asked)

const deleteMany: Renderer<Written<DeleteResult>> = (answer, asked) =>
  written(answer, asked, [line(good('deleted'), `  ${memories(answer.deleted)}`)])

const forget: Renderer<Written<ForgetResult>> = (answer, asked) =>
  written(answer, asked, [
    ...answer.ids.map((id) => line(id)),
    line(good('forgotten'), `  ${memories(answer.ids.length)}`),
  ])

const report: Renderer<Written<ReportResult>> = (answer, asked) =>
  written(answer, asked, [
    answer.record === null
      ? line(bad('removed'), '  it failed too often')
      : line(good('reported'), '  ', answer.record.id, `  reliability ${answer.record.reliability.toFixed(2)}`),
  ])

const maintain: Renderer<Written<MaintainResult>> = (answer, asked) => {
  const groups = (['expired', 'pruned', 'evicted', 'archived'] as const).map((what) => [what, answer[what]] as const)
  const gone = groups.flatMap(([what, ids]) => ids.map((id) => [good(what), id, answer.why[id] ?? '']))
  const { length } = gone
  return written(answer, asked, [...table(gone), line(length === 0 ? 'nothing to do' : memories(length))])
}

function linked(verb: string): Renderer<Written<LinkResult>> {
  return (answer, asked) =>
    answer.link === null
      ? { lines: [], notes: ['There is no such link.'] }
      : written(answer, asked, [
          line(good(verb), '  ', answer.link.from, ' → ', answer.link.to, `  ${answer.link.type}`),
        ])
}

const undo: Renderer<Written<UndoResult>> = (answer, asked) => {
  const { length } = answer.reverted
  const said = length === 1 ? '  1 memory is as it was before' : `  ${length} memories are as they were before`
  const ids = answer.reverted.flatMap((id): Cell[] => ['  ', id])
  return written(answer, asked, [line(good('undone'), said, ...ids)])
}

const apply: Renderer<Written<ApplyResult>> = (answer, asked) =>
  written(answer, asked, [
    ...table(answer.results.map(({ op, id }) => [good(op), id ?? ''])),
    line(`${amount(answer.results.length, 'step')} in one transaction`),
  ])

const neighbors: Renderer<NeighborsResult> = ({ records, links }, { options }) => ({
  lines: [...records.flatMap(recordsShown(records, options.allScopes === true)), ...linkLines(links)],
  notes: nothing(links, 'It is linked with nothing.'),
})

/** `A → works at → B`, link by link, in the direction that each one has. */
const paths: Renderer<PathsResult> = ({ paths: found, complete }) => ({
  lines: found.flatMap(({ records, links, strength }) => [
    line(bold(amount(links.length, 'link')), dim(`  strength ${strength.toFixed(2)}`)),
    ...records.flatMap((record, i) => {
      const link = links[i]
      const shown = line('      ', dim(record.id), '  ', record.content)
      return link ? [shown, line('        ', link.from === record.id ? '↓ ' : '↑ ', link.type)] : [shown]
    }),
  ]),
  notes: [
    ...nothing(found, 'No path this long connects them.'),
    ...(complete ? [] : ['So much is linked here that there may be others.']),
  ],
})

function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

function sizeText(bytes: number | null, store: string): string {
  return bytes === null ? `${store} store` : `${(bytes / 1e6).toFixed(1)} MB, ${store} store`
}

const stats: Renderer<Stats> = (answer) => {
  const { byScope = [], embedder, pending: waiting } = answer
  const waits = waiting === 1 ? '1 waits for its vector' : `${waiting} wait for their vectors`
  return {
    lines: [
      ...table([
        [dim('memories'), `${answer.total}, ${answer.live} of them live`],
        [dim('by kind'), counted(answer.byKind)],
        [dim('by status'), counted(answer.byStatus)],
        [dim('size'), sizeText(answer.sizeBytes, answer.store)],
        [
          dim('embedder'),
          embedder === null ? 'none: text search only' : `${embedder.id}, ${embedder.dimensions} dimensions`,
        ],
        [dim('waiting'), waiting === 0 ? 'nothing waits for its vector' : waits],
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
    records.map(({ id, attempts, since, lastError }) => [
      id,
      moment(since),
      amount(attempts, 'attempt'),
      lastError ?? '',
    ]),
  ),
  notes: nothing(records, 'Nothing waits for its vector.'),
})

const tokensOf = ({ calls, inputTokens, outputTokens, cost }: UsageResult['total']) => [
  amount(calls, 'call'),
  `${inputTokens} + ${outputTokens} tokens`,
  cost === undefined ? '' : `cost ${cost.toFixed(4)}`,
]

const usage: Renderer<UsageResult> = ({ days, total }) => {
  const { estimated, reserved } = total
  return {
    lines: table([
      ...days.map((day) => [day.day, ...tokensOf(day), scopeText(day.scope)]),
      ...(days.length > 1 ? [['in all', ...tokensOf(total), '']] : []),
    ]),
    notes: [
      ...nothing(days, 'No language model was asked.'),
      ...(estimated > 0 ? [`Of ${amount(estimated, 'call')} the tokens are estimated.`] : []),
      ...(reserved > 0 ? [`${reserved} more tokens are set aside for calls under way.`] : []),
    ],
  }
}

const verify: Renderer<VerifyResult> = ({ ok, problems, checked }) => ({
  lines: [
    line(ok ? good('✓ all is well') : bad(`✗ ${amount(problems.length, 'problem')}`), `  ${memories(checked)} checked`),
    ...table(problems.map(({ code, id, message }) => [bad(code), id ?? '', message])).map((each) => ({
      ...each,
      whole: true,
    })),
  ],
})

const journal: Renderer<JournalResult> = ({ entries, nextCursor }) => ({
  lines: table(
    entries.map(({ at, op, verb, actor, reason, ids }) => [
      moment(at),
      op,
      verb,
      actor ?? '',
      ids.length > 3 ? memories(ids.length) : ids.join(' '),
      reason ?? '',
    ]),
  ),
  notes: [
    ...nothing(entries, 'Nobody read or wrote here.'),
    ...(nextCursor === undefined ? [] : [`There is more: repeat with --cursor ${nextCursor}`]),
  ],
})

const verifyJournal: Renderer<VerifyJournalResult> = ({ ok, entries, brokenAt }) => ({
  lines: [
    line(
      ok ? good('✓ whole') : bad(`✗ broken at line ${brokenAt}`),
      `  ${amount(entries, 'line')} ${ok ? 'checked' : 'before it are whole'}`,
    ),
  ],
})

const rebuild: Renderer<RebuildResult> = ({ records, analysed, embedded }) => ({
  lines: [line(good('rebuilt'), `  ${memories(records)}: terms of ${analysed}, vectors of ${embedded} made anew`)],
})

const imported: Renderer<Written<ImportResult>> = (answer, { options }) => {
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

const backup: Renderer<{ path: string }> = ({ path }) => ({ lines: [wholeLine(good('copied'), '  to ', path)] })

/** How the answer of each verb looks to people. */
export const renderers: Readonly<Record<string, (answer: never, asked: Asked) => Rendering>> = {
  add,
  addMany,
  learn: learnt,
  search,
  get,
  getMany,
  list,
  update: changed('updated'),
  supersede,
  invalidate: changed('invalidated'),
  restore: changed('restored'),
  delete: deleteOne,
  deleteMany,
  forget,
  report,
  consolidate: consolidated,
  summarize: summarized,
  'summaries.refresh': summaryRefreshed,
  'summaries.get': summaryKept,
  context,
  link: linked('linked'),
  unlink: linked('unlinked'),
  neighbors,
  paths,
  explain,
  history,
  journal,
  changes,
  undo,
  apply,
  stats,
  pending,
  usage,
  maintain,
  verify,
  verifyJournal,
  rebuild,
  import: imported,
  backup,
  'episodes.record': add,
  'episodes.timeline': list,
  'conflicts.list': conflictList,
  'conflicts.resolve': conflictResolved,
  'facts.set': factSet,
  'facts.get': factValue,
  'facts.entry': factEntry,
  'facts.all': factList,
  'facts.delete': keyDelete,
  'facts.history': factHistory,
  'skills.learn': skillLearnt,
  'skills.fromMarkdown': skillLearnt,
  'skills.rollback': skillLearnt,
  'skills.match': skillMatches,
  'skills.report': report,
  'skills.versions': skillVersions,
  'skills.toMarkdown': skillFile,
  'skills.export': skillsExported,
  'skills.import': skillsImported,
  'tools.learn': toolLearnt,
  'tools.get': toolShown,
  'tools.rollback': toolLearnt,
  'tools.match': toolMatches,
  'tools.report': report,
  'tools.versions': toolVersions,
  'entities.set': entitySet,
  'entities.get': entityShown,
  'entities.list': entityList,
  'entities.alias': entitySet,
  'entities.unalias': entitySet,
  'entities.merge': entitiesMerged,
  'kv.put': kvPut,
  'kv.get': kvGet,
  'kv.delete': keyDelete,
  'kv.list': kvList,
  'kv.namespaces': kvNamespaces,
}

/** A verb that nobody wrote a rendering for is shown as what it is. */
export function renderAnswer(verb: string, answer: unknown, asked: Asked): Rendering {
  const render = renderers[verb] as Renderer<unknown> | undefined
  if (render) return render(answer, asked)
  return {
    lines: JSON.stringify(answer, null, 2)
      .split('\n')
      .map((text) => wholeLine(text)),
  }
}

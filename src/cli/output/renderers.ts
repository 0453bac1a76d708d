import {
  type ContextResult,
  type ListResult,
  type NeighborsResult,
  type PathsResult,
  type SearchHit,
  type SearchResult,
  type Verb,
  verbs,
} from '../../engine/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import { amount } from './amount.ts'
import type { Renderer, Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { conflictList, conflictResolved } from './conflicts.ts'
import { entitiesMerged, entityList, entitySet, entityShown } from './entities.ts'
import { explain, whyLines } from './explanation.ts'
import { health, migratedToCold } from './health.ts'
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
import { bold, dim, type Line, line, wholeLine } from './lines.ts'
import { listNotes } from './list-notes.ts'
import { distinctScopes, fullRecordLines, linkLines, noSuchMemory, recordLines, recordsShown } from './records.ts'
import { skillFile, skillLearnt, skillMatches, skillsExported, skillsImported, skillVersions } from './skills.ts'
import { consolidated, summarized, summaryKept, summaryRefreshed } from './summaries.ts'
import { toolLearnt, toolMatches, toolShown, toolVersions } from './tools.ts'
import { backup, journal, pending, rebuild, stats, usage, verify, verifyJournal } from './upkeep.ts'
import {
  add,
  addMany,
  apply,
  changed,
  deleteMany,
  deleteOne,
  forget,
  imported,
  linked,
  maintain,
  report,
  supersede,
  undo,
} from './writes.ts'
import { failedStages, unsaid } from './written.ts'

function hitLines(hit: SearchHit, showScope: boolean, asked: Asked): Line[] {
  return [...recordLines(hit, showScope, [bold(hit.score.toFixed(2)), '  ']), ...whyLines(hit, asked)]
}

const search: Renderer<SearchResult> = ({ results, nextCursor, degraded }, asked) => {
  const showScope = asked.options.allScopes === true || distinctScopes(results) > 1
  return {
    lines: results.flatMap((hit) => hitLines(hit, showScope, asked)),
    notes: [
      ...listNotes(results, 'Nothing found.'),
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
  notes: listNotes(records, 'No memories here.', nextCursor),
})

const get: Renderer<MemoryRecord | null> = (record) =>
  record === null ? { lines: [], notes: [noSuchMemory] } : { lines: fullRecordLines(record) }

const getMany: Renderer<readonly (MemoryRecord | null)[]> = (records, { options }) => {
  const found = records.filter((record) => record !== null)
  const show = recordsShown(found, options.allScopes === true)
  return { lines: records.flatMap((record) => (record === null ? [line(dim('(no such memory)'))] : show(record))) }
}

const neighbors: Renderer<NeighborsResult> = ({ records, links }, { options }) => ({
  lines: [...records.flatMap(recordsShown(records, options.allScopes === true)), ...linkLines(links)],
  notes: listNotes(links, 'It is linked with nothing.'),
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
    ...listNotes(found, 'No path this long connects them.'),
    ...(complete ? [] : ['So much is linked here that there may be others.']),
  ],
})

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
  migrateToCold: migratedToCold,
  stats,
  health,
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

const asKept = new Set((verbs as readonly Verb[]).filter((verb) => verb.asKept).map(({ name }) => name))

/** A verb that nobody wrote a rendering for is shown as what it is. */
export function renderAnswer(verb: string, answer: unknown, asked: Asked): Rendering {
  const render = renderers[verb] as Renderer<unknown> | undefined
  if (render) {
    const rendering = render(answer, asked)
    const { notes = [] } = rendering
    // What was kept says nothing about the call, whatever its fields are called.
    return asKept.has(verb) ? rendering : { ...rendering, notes: [...notes, ...unsaid(answer, notes)] }
  }
  return {
    lines: JSON.stringify(answer, null, 2)
      .split('\n')
      .map((text) => wholeLine(text)),
  }
}

import type { Verb } from '../verb.ts'
import { add, addMany } from './add.ts'
import { apply } from './apply.ts'
import { backup } from './backup.ts'
import { conflictsList } from './conflicts/list.ts'
import { conflictsResolve } from './conflicts/resolve.ts'
import { consolidate } from './consolidate.ts'
import { context } from './context.ts'
import { deleteMany, deleteOne } from './delete.ts'
import { entitiesGet } from './entities/get.ts'
import { entitiesList } from './entities/list.ts'
import { entitiesMerge } from './entities/merge.ts'
import { entitiesAlias, entitiesSet, entitiesUnalias } from './entities/set.ts'
import { episodesRecord } from './episodes/record.ts'
import { episodesTimeline } from './episodes/timeline.ts'
import { explain } from './explain.ts'
import { exportLines } from './export.ts'
import { factsAll } from './facts/all.ts'
import { factsDelete, factsEntry, factsGet, factsHistory } from './facts/get.ts'
import { factsSet } from './facts/set.ts'
import { forget } from './forget.ts'
import { get, getMany } from './get.ts'
import { health } from './health.ts'
import { changes, history, watch } from './history.ts'
import { importLines } from './import.ts'
import { invalidate, restore } from './invalidate.ts'
import { journal, verifyJournal } from './journal.ts'
import { kvDelete, kvGet } from './kv/get.ts'
import { kvList, kvNamespaces } from './kv/list.ts'
import { kvPut } from './kv/put.ts'
import { learn } from './learn.ts'
import { link, unlink } from './link.ts'
import { list } from './list.ts'
import { maintain } from './maintain.ts'
import { migrateToCold } from './migrate-to-cold.ts'
import { neighbors } from './neighbors.ts'
import { paths } from './paths.ts'
import { report } from './report.ts'
import { search } from './search.ts'
import { skillsExport, skillsImport } from './skills/folder.ts'
import { skillsFromMarkdown, skillsLearn, skillsRollback } from './skills/learn.ts'
import { skillsMatch } from './skills/match.ts'
import { skillsReport } from './skills/report.ts'
import { skillsToMarkdown, skillsVersions } from './skills/versions.ts'
import { pending, stats } from './stats.ts'
import { summariesGet } from './summaries/get.ts'
import { summariesRefresh } from './summaries/refresh.ts'
import { summarize } from './summarize.ts'
import { supersede } from './supersede.ts'
import { toolsLearn, toolsRollback } from './tools/learn.ts'
import { toolsMatch } from './tools/match.ts'
import { toolsReport } from './tools/report.ts'
import { toolsGet, toolsVersions } from './tools/versions.ts'
import { undo } from './undo.ts'
import { update } from './update.ts'
import { usage } from './usage.ts'
import { rebuild, verify } from './verify.ts'

/**
 * Everything a memory can do, in the order of help texts. A new verb is a file beside this one and a line here:
 * the engine, its views and the command line have it then.
 */
export const verbs = [
  add,
  addMany,
  learn,
  search,
  context,
  get,
  getMany,
  list,
  update,
  supersede,
  invalidate,
  restore,
  deleteOne,
  deleteMany,
  forget,
  report,
  consolidate,
  summarize,
  link,
  unlink,
  neighbors,
  paths,
  explain,
  history,
  journal,
  changes,
  watch,
  undo,
  apply,
  migrateToCold,
  stats,
  health,
  pending,
  usage,
  maintain,
  verify,
  verifyJournal,
  rebuild,
  exportLines,
  importLines,
  backup,
  episodesRecord,
  episodesTimeline,
  factsSet,
  factsGet,
  factsEntry,
  factsAll,
  factsDelete,
  factsHistory,
  conflictsList,
  conflictsResolve,
  skillsLearn,
  skillsMatch,
  skillsReport,
  skillsVersions,
  skillsRollback,
  skillsToMarkdown,
  skillsFromMarkdown,
  skillsExport,
  skillsImport,
  toolsLearn,
  toolsGet,
  toolsMatch,
  toolsReport,
  toolsVersions,
  toolsRollback,
  entitiesSet,
  entitiesGet,
  entitiesList,
  entitiesAlias,
  entitiesUnalias,
  entitiesMerge,
  summariesRefresh,
  summariesGet,
  kvPut,
  kvGet,
  kvDelete,
  kvList,
  kvNamespaces,
] as const satisfies readonly Verb[]

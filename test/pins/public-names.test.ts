import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// What may be imported, as literal lists in the order of their characters: a name that comes or goes is a change of the public surface, made here on purpose.

const source = fileURLToPath(new URL('../../src/', import.meta.url))

const values: Record<string, string> = {
  '.': `
    BackendError ClosedError ConflictError EmbedderError InputError MnemeError ModelError NotFoundError SetupError
    agentMemory compress cosine countTokens createMemoryTools defaultStrategies embedderFrom getTokenCounter hashing memoryContext migrateStore openMemory staticEn256`,
  './conformance': `
    conformanceCases describeConformance describeHotTierConformance facetCases hotTierCases runConformance runHotTierConformance`,
  './embedders/hashing': 'hashing',
  './embedders/openai-compatible': 'openAICompatible',
  './embedders/static-en-256': 'staticEn256 staticTokenTable',
  './embedders/transformers': 'transformers',
  './models/ai-sdk': 'aiSdk',
  './models/openai-compatible': 'openAICompatible',
  './models/scripted': 'scripted',
  './stores/bolt': 'bolt',
  './stores/memory': 'memory',
  './stores/postgres': 'postgres raiseWall',
  './stores/redis': 'redis',
  './stores/sqlite': 'sqlite sqliteDrivers',
  './stores/tiered': 'tiered',
  './testing': 'draft failingEmbedder fixedClock plainAnalysis put sequentialIds transaction unitVector',
}

const types: Record<string, string> = {
  '.': `
    AddManyResult AddOptions AddOutcome AddResult AgentEntry AgentMemory AgentMemoryOptions AgentProcedure
    AgentReadOptions ApolliaDocument ApolliaEpisode ApolliaFact ApolliaProcedure ApplyResult Candidate Change Clock
    CompressOptions Compressed ConfirmRequest Conflict ConflictEvidence ConflictListOptions ConflictListResult
    ConflictPolicy ConflictVerbs ConsolidateOptions ConsolidateResult ContextFormat ContextOptions ContextResult
    ContextSection Degradable Degradation DeleteResult DeleteSelection DryRun EmbedFunction EmbedOptions Embedder
    EmbedderFromOptions EngineMetadata Entity EntityListEntry EntityListOptions EntityListResult EntityMergeResult
    EntityOutcome EntityResult EntitySetOptions EntityVerbs EpisodeOptions EpisodeVerbs ErrorCode ErrorDetails
    EventTime ExplainResult ExplainStage Explanation ExportOptions Fact FactListEntry FactListOptions FactListResult
    FactOutcome FactSetOptions FactSetResult FactVerbs FactVersion Filter ForgetOptions ForgetResult ForgetSelection
    GenerateRequest GeneratedText Granularity Health HealthOptions IgnoredPart ImportOptions ImportResult ImportRow
    ImportSource InvalidateOptions JournalEntry JournalOptions JournalResult JsonObject JsonValue Judge
    KeptSummaryResult KeyedReadOptions Kind KindPolicy KnownEntity KvDeleteOptions KvEntry KvListEntry KvListOptions
    KvListResult KvNamespacesOptions KvNamespacesResult KvPutOptions KvPutResult KvVerbs LanguageModel LearnDryRun
    LearnInput LearnOptions LearnResult Link LinkOptions LinkResult ListOptions ListResult Logger MaintainOptions
    MaintainResult MatchedSkill MatchedTool MemoryContext MemoryEngine MemoryPatch MemoryPath MemoryRecord MemoryRun
    MemoryStore MemoryTool MemoryToolCode MemoryToolOptions MemoryToolResult MemoryVerbs MemoryView MessageInput
    Metadata MigrateProgress MigrateStoreOptions MigrateStoreResult MigrateToColdOptions MigrateToColdResult ModelLimits ModelMessage NeighborsResult NewMemory NewSkill
    NewTool OpenMemoryOptions OperationOptions PathsResult PendingResult Plan PlanOp PlanStep PlannedRecord
    ReadScopeOptions RebuildResult RecordOptions RefreshResult RefreshSummaryOptions RememberOptions RememberResult
    ReportOptions ReportResult Reranker ResolveOptions ResolveResult RetrievalStrategy Revision RevisionOp Scope
    ScoreWeights SearchHit SearchOptions SearchResult Skill SkillExample SkillExportOptions SkillExportResult
    SkillExportRow SkillFolderVerbs SkillImportResult SkillImportRow SkillLearnResult SkillMatchOptions
    SkillMatchResult SkillOutcome SkillReadFileResult SkillReportOptions SkillVerbs Source SourceType Stats Status
    StoreHealth StrategyOptions StrategyQuery StrategySources SummarizeOptions SummarizeResult SummaryName
    SummaryVerbs SupersedeResult TierHealth TimelineOptions TokenCounter TokenProvider Tool ToolLearnResult
    ToolMatchOptions ToolMatchResult ToolStep ToolVerbs Trust UndoOptions UndoResult UnlinkOptions UpdateOptions
    UsageDay UsageResult VerifyJournalResult VerifyResult ViewOptions WriteMethod WriteOptions WriteResult`,
  './conformance': `
    ConformanceCase ConformanceContext ConformanceResult ConformanceTarget Facet Facets HeldCommit HotCase HotCaseContext HotCaseOptions HotNeed HotTierTarget
    KnownGap Need TestApi`,
  './embedders/hashing': 'HashingOptions',
  './embedders/openai-compatible': 'OpenAICompatibleOptions',
  './embedders/static-en-256': '',
  './embedders/transformers': 'TransformersLibrary TransformersOptions',
  './models/ai-sdk': 'AiSdkCall AiSdkModel',
  './models/openai-compatible': 'OpenAICompatibleOptions',
  './models/scripted': 'ScriptedAnswer ScriptedModel ScriptedOptions',
  './stores/bolt': 'BoltOptions',
  './stores/memory': '',
  './stores/postgres': 'PostgresOptions RaiseWallOptions',
  './stores/redis': 'RedisOptions',
  './stores/sqlite': `
    DatabaseClass DriverOption SqliteConnection SqliteDriver SqliteDriverReport SqliteOptions SqliteRow SqliteStatement
    SqliteValue`,
  './stores/tiered': 'TieredOptions TieredStore',
  './testing': 'FailingEmbedderOptions FixedClock',
}

const words = (text: string | undefined) => (text ?? '').split(/\s+/).filter((word) => word !== '')
const doorOf = (subPath: string) => join(source, subPath, 'index.ts')

/** Names that a door exports as types only: doors list their names, so reading them is enough. */
function exportedTypes(door: string): string[] {
  const text = readFileSync(door, 'utf8')
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)]
  const listed = lists.flatMap(([, wholly, names]) =>
    (names ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (wholly || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '').replace(/^.* as /, '')),
  )
  const declared = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name as string)
  return [...listed, ...declared].sort()
}

function exportedRooms(folder: string): string[] {
  const entries = readdirSync(join(source, folder), { withFileTypes: true })
  // A folder without a door can't be imported.
  return entries.map((entry) => `./${folder}/${entry.name}`).filter((room) => existsSync(doorOf(room)))
}

test('[PIN-1] every store, embedder and language model is on the list', () => {
  const folders = ['embedders', 'models', 'stores'].flatMap(exportedRooms)
  const rooms = ['.', './conformance', './testing', ...folders].sort()
  expect(Object.keys(values).sort()).toEqual(rooms)
  expect(Object.keys(types).sort()).toEqual(rooms)
})

test.each(Object.keys(values))('[PIN-1] %s exports exactly these values', async (subPath) => {
  const room: object = await import(/* @vite-ignore */ doorOf(subPath))
  expect(Object.keys(room).sort()).toEqual(words(values[subPath]))
})

test.each(Object.keys(types))('[PIN-1] %s exports exactly these types', (subPath) => {
  expect(exportedTypes(doorOf(subPath))).toEqual(words(types[subPath]))
})

export type { Change, Link, Revision, RevisionOp } from './change.ts'
export { type Filter, type FilterNode, matchesFilter, type Operator, parseFilter } from './filter.ts'
export {
  canonicalJson,
  equalJson,
  hasMoreParts,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from './json.ts'
export { instantOfWall, type LocalTime, localTime, wallTime } from './local-time.ts'
export { madeOnce } from './made-once.ts'
export {
  defaultTrust,
  idSchema,
  kindSchema,
  type NewMemory,
  type NewMemoryDefaults,
  newIdSchema,
  type ParsedMemory,
  parseMetadata,
  parseNewMemory,
  parseVector,
  timeText,
} from './new-memory.ts'
export { parseWith } from './parse.ts'
export { applyPatch, type MemoryPatch, type ParsedPatch, parsePatch } from './patch.ts'
export { reading } from './reading.ts'
export {
  compareTrust,
  type Kind,
  type MemoryRecord,
  type Metadata,
  maxContentBytes,
  type RecordDraft,
  type Source,
  type SourceType,
  type Status,
  sourceTypes,
  statuses,
  type Trust,
  trustLevels,
} from './record.ts'
export { expiryOf, isExpired, isValidAt, type Lifetimes, momentOf } from './record-times.ts'
export {
  allScopes,
  anyOf,
  enclosingScopes,
  exactly,
  inSession,
  isWithin,
  matchesScope,
  maxScopeValueLength,
  ownerFromKey,
  ownerKey,
  parseScope,
  parseScopePart,
  type Scope,
  type ScopeFilter,
  type ScopeRule,
  scopeDepth,
  scopeFromKey,
  scopeKey,
  scopesSeeing,
  within,
  withShared,
} from './scope.ts'
export {
  type EventTime,
  formatInstant,
  type Granularity,
  granularities,
  normaliseInstant,
  parseEventTime,
  parseInstant,
  parseZone,
} from './time.ts'
export { isDeepYaml } from './yaml.ts'

export { B, bm25Max, bm25Term, idf, K1 } from './bm25.ts'
export { monthNames, weekdayNames } from './calendar-names.ts'
export { dateWords, type When } from './date-words.ts'
export { fold, isAscii } from './fold.ts'
export {
  type ContextSection,
  contextSections,
  type FoundMemory,
  findMemoryBlocks,
  memoryMarkers,
} from './memory-marker.ts'
export { type ContextFormat, escapeMemoryText, roleBracket, unescapeMemoryText } from './memory-text.ts'
export { sentences } from './sentences.ts'
export { isStopWord, type StopWordLanguage, stopWords } from './stop-words.ts'
export { denseText, lexicalText, type SearchableText } from './text-for-search.ts'
export {
  checkedCounter,
  counterFor,
  countTokens,
  getTokenCounter,
  inconsistentCounter,
  prefixWithin,
  type TokenProvider,
  wordCounter,
} from './token-counters/index.ts'
export { maxTermLength, queryTerms, termCounts, terms } from './tokenize.ts'
export { words } from './words.ts'

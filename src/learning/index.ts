export { adviceSchema, type OneAdvice, readAdvice } from './advice.ts'
export { isBoilerplate } from './boilerplate.ts'
export { type Decision, decide, formsOf, isSaid, type Known, triple } from './decide.ts'
export { type Duplicates, hasPayload, isMergeable, isMergedKind, mergeDuplicates, sameness } from './duplicates.ts'
export { isComparable, isEcho } from './echo.ts'
export { extractionSchema, readExtraction, shownTurns } from './extraction.ts'
export { findQuote, type Span } from './find-quote.ts'
export {
  isMoreTrusted,
  judgeConflict,
  judgeNamed,
  mayReplace,
  type Side,
  type Verdict,
  whyConflict,
} from './judge-conflict.ts'
export type { Evidence, LearnedFact } from './learned-fact.ts'
export { checkedMerges, type Merge, mergeAnswer, mergedFields, mergeMessage } from './merge-answer.ts'
export type { Message } from './message.ts'
export { maxCharacters, maxMessages, parseMessages } from './parse-messages.ts'
export {
  createPrompts,
  frameData,
  type Prompt,
  type PromptName,
  type PromptReplacement,
  type Prompts,
  promptLabel,
  quoteAnswer,
} from './prompts/index.ts'
export { type JsonAnswer, readJsonAnswer, type UnreadableAnswer, withoutThoughts } from './read-json-answer.ts'
export { extractByRules, type RuleOptions } from './rules/index.ts'
export { contentForm } from './statements/index.ts'
export {
  byAge,
  type CheckedSummary,
  checkedSummary,
  citedText,
  contentTerms,
  inventedIn,
  lostFrom,
  type PickOptions,
  pickSentences,
  type SummaryItem,
  type SummarySentence,
  summaryAnswer,
  summaryMessage,
  summaryText,
} from './summaries/index.ts'
export { blanked, type IgnoredMessage, type IgnoreReason, ownText, readTurns, type Turn } from './turn.ts'

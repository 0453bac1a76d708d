export { factsOfText, inventedIn, lostFrom } from './facts-of-text.ts'
export { type CheckedSummary, checkedSummary, summaryAnswer, summaryMessage } from './model-summary.ts'
export {
  byAge,
  citedText,
  contentTerms,
  type PickOptions,
  pickSentences,
  type SummaryItem,
  type SummarySentence,
  summaryText,
} from './pick-sentences.ts'

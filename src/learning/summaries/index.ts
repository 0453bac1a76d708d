export { inventedIn, lostFrom } from './facts-of-text.ts'
export {
  citedText,
  contentTerms,
  type PickOptions,
  pickSentences,
  type SummaryItem,
  type SummarySentence,
  summaryText,
} from './pick-sentences.ts'

/** Forms in which memories travel from and to elsewhere. Pure functions on plain data: the engine's verbs carry out what they say. */
export type {
  ApolliaDocument,
  ApolliaEpisode,
  ApolliaFact,
  ApolliaProcedure,
} from './apollia/apollia-document.ts'
export {
  type ApolliaRead,
  placed,
  recordOfRow,
  rowsOfSnapshot,
  snapshotReader,
  stableId,
} from './apollia/read-apollia.ts'
export { sourceOfText, textOfSource } from './apollia/source-text.ts'
export { apolliaKinds, apolliaPieces } from './apollia/write-apollia.ts'

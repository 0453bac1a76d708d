export { sentenceStarters, timeNames } from './english.ts'
export { foldedForm, saysNo, statementForm, statementWords } from './statement-form.ts'

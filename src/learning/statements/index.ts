export { sentenceStarters, timeNames } from './english.ts'
export { contentForm, foldedForm, saysNo, statementForm, statementWords } from './statement-form.ts'

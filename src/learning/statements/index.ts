export { foldedForm, statementForm } from './statement-form.ts'

export { type ScriptedAnswer, type ScriptedModel, type ScriptedOptions, scripted } from './scripted.ts'

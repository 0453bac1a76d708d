export { extractByRules, type RuleOptions } from './extract-by-rules.ts'

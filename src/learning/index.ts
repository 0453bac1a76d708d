export { judgeConflict, judgeNamed, mayReplace, type Side, type Verdict } from './judge-conflict.ts'
export type { Evidence, LearnedFact } from './learned-fact.ts'
export type { Message } from './message.ts'

export type { Evidence, LearnedFact } from './learned-fact.ts'
export type { Message } from './message.ts'

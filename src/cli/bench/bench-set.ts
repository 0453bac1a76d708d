/** One turn of a conversation, as it is remembered. */
export interface Turn {
  /** Unique in its conversation. */
  readonly id: string
  /** From 1. */
  readonly session: number
  /** When the session took place: an ISO 8601 time with an offset. */
  readonly at: string
  readonly zone: string
  readonly role: 'user' | 'assistant'
  readonly actor: string
  readonly content: string
}

export interface Question {
  readonly category: string
  readonly text: string
  /** Ids of the turns that hold the answer, as the file names them; none when it can't be answered. */
  readonly evidence: readonly string[]
  /** Ids of turns that hold an outdated answer. */
  readonly stale: readonly string[]
}

export interface Conversation {
  readonly id: string
  /** In the order in which they were said. */
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

/** Conversations with questions about them, whatever file they came from. */
export interface BenchSet {
  readonly name: string
  readonly conversations: readonly Conversation[]
}

export function isAnswerable(question: Question): boolean {
  return question.evidence.length > 0
}

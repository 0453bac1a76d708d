/** One message of a conversation, as it is learnt from. */
export interface Message {
  /** Only what `user` says is taken as said by a person. */
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly content: string
  /** Who speaks, as they are called: `Ann`. @default the user, the assistant */
  readonly name?: string | undefined
  /** When it was said: ISO 8601 with an offset, canonical (UTC). */
  readonly at?: string | undefined
  /** IANA zone of the speaker, for words such as `tomorrow`. @default UTC */
  readonly zone?: string | undefined
}

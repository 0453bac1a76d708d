import { hash } from 'node:crypto'
import { z } from 'zod'
import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import { type SummarySentence, summaryText } from '../../learning/index.ts'
import {
  exactly,
  type JsonValue,
  type MemoryRecord,
  madeOnce,
  type Scope,
  type ScopeFilter,
  within,
} from '../../model/index.ts'

/** What is kept of a conversation, and of whoever a scope is about. */
export const summaryNames = ['session', 'profile'] as const
export type SummaryName = (typeof summaryNames)[number]

/** Summaries are records of this kind: found and shown like others, and never summed up themselves. */
export const summaryKind = 'summary'

export function summaryKey(name: SummaryName): string {
  return `summary.${name}`
}

/** What a summary is made from: of a session its thread, which is one exact scope; of a profile all that the scope sees. */
export function summarySources(name: SummaryName, scope: Scope): ScopeFilter {
  return name === 'session' ? exactly(scope) : within(scope)
}

const sentenceSchema = madeOnce(() =>
  z.strictObject({
    text: z.string().min(1),
    /** The memories that it is from, each with a digest of what it said. */
    from: z
      .array(z.tuple([z.string().min(1), z.string()]))
      .min(1)
      .max(1000),
    at: z.number(),
    importance: z.number().min(0).max(1),
  }),
)

const dataSchema = madeOnce(() =>
  z.strictObject({
    sentences: z.array(sentenceSchema()).max(10_000),
    /** How many memories were read for it in all. */
    read: z.int().min(0),
    /** Everything that changed up to then was read, epoch milliseconds; and a digest of what changed in that very one. */
    until: z.number(),
    last: z.string(),
    /** Who wrote it last: `rules`, or a prompt with its version. */
    by: z.string(),
  }),
)
export type SummaryData = z.infer<ReturnType<typeof dataSchema>>
export type KeptSentence = SummaryData['sentences'][number]

/** What a kept summary was made from; null where somebody else wrote the record. */
export function summaryData({ data, content }: Pick<MemoryRecord, 'data' | 'content'>): SummaryData | null {
  const parsed = dataSchema().safeParse(data).data ?? null
  return parsed && summaryText(parsed.sentences) === content ? parsed : null
}

/** Tells whether a memory says what it said when it was summed up. */
export function saidDigest({ content }: Pick<MemoryRecord, 'content'>): string {
  return hash('sha256', content, 'base64url').slice(0, 12)
}

/** The ids that a kept summary is from, each once, in order. */
export function sourcesOf(sentences: readonly KeptSentence[]): string[] {
  return [...new Set(sentences.flatMap(({ from }) => from.map(([id]) => id)))]
}

/** The record of a summary: new, or in the place of what it said before. */
export function summaryDraft(
  target: {
    readonly id: string
    readonly scope: Scope
    readonly name: SummaryName
    readonly expiresAt?: string | undefined
  },
  data: SummaryData,
  before?: StoredRecord,
): PutRecord {
  const said = {
    content: summaryText(data.sentences),
    data: data as unknown as JsonValue,
    source: { type: 'derived', from: sourcesOf(data.sentences).slice(0, 10_000) },
    trust: 'inferred',
  } as const
  const ends = target.expiresAt === undefined ? {} : { expiresAt: target.expiresAt }
  if (before) {
    const { version: _version, updatedAt: _updatedAt, expiresAt: _expiresAt, ...rest } = before.record
    return { ...rest, ...ends, ...said }
  }
  return {
    id: target.id,
    kind: summaryKind,
    key: summaryKey(target.name),
    scope: target.scope,
    tags: [],
    metadata: {},
    importance: 0.5,
    confidence: 1,
    reliability: 1,
    pinned: false,
    status: 'live',
    accessCount: 0,
    ...ends,
    ...said,
  }
}

/** A kept sentence as one that may be picked again. */
export function asSentence({ from, ...sentence }: KeptSentence): SummarySentence {
  return { ...sentence, from: from.map(([id]) => id) }
}

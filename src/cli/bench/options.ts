import { z } from 'zod'
import { parseWith } from '../../model/index.ts'
import { readArguments, share } from './bench-arguments.ts'
import { storeNames } from './run-set.ts'

export const usage = `mneme bench locomo FILE | mneme bench assistant FILE | mneme bench skills FILE | mneme bench rules FILE

mneme bench skills --help and mneme bench rules --help say how these are measured. The others:

Remembers the conversations of a file, a record a turn, asks its questions, and says how much of the evidence was found.

  --store memory|sqlite   where to remember; sqlite uses a temporary folder (default sqlite)
  --together              all conversations in one store, each in its own scope; else a store each
  --mode MODE             hybrid, text or vector (default hybrid)
  --baseline              plain BM25 beside it
  --threshold X           on the best score, for questions without an answer (default 0.2)
  --limit-questions N     the first N of each conversation
  --min-r10 X             exit 1 when R@10 is below
  --min-mrr X             exit 1 when MRR@10 is below
  -o text|json            (default text)
`

const optionsSchema = z.strictObject({
  set: z.enum(['locomo', 'assistant'], 'must be locomo, assistant, skills or rules'),
  file: z.string('is missing: give the file after the name of the set'),
  store: z.enum(storeNames).default('sqlite'),
  together: z.boolean().default(false),
  mode: z.enum(['hybrid', 'text', 'vector']).default('hybrid'),
  baseline: z.boolean().default(false),
  threshold: share.default(0.2),
  'limit-questions': z.coerce.number().int().min(1).optional(),
  'min-r10': share.optional(),
  'min-mrr': share.optional(),
  output: z.enum(['text', 'json']).default('text'),
})

export type BenchOptions = z.infer<typeof optionsSchema>

/** The checked options; null when help was asked for. @throws InputError */
export function parseOptions(args: readonly string[]): BenchOptions | null {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const given = readArguments(args, ['set', 'file'], {
    store: text,
    together: flag,
    mode: text,
    baseline: flag,
    threshold: text,
    'limit-questions': text,
    'min-r10': text,
    'min-mrr': text,
  })
  return given && parseWith(optionsSchema, given, 'bench')
}

import { z } from 'zod'
import { madeOnce } from '../../model/index.ts'

/** What a language model may take: time, attempts, tokens and money. */
export interface ModelLimits {
  /** For each exact scope and UTC day. A call that might go beyond is not made. @default no limit */
  readonly perDay?:
    | {
        /** Input and output together. */
        readonly tokens?: number | undefined
        /** In the currency of `prices`, which it needs. */
        readonly cost?: number | undefined
      }
    | undefined
  /** Input and output of one call together: a long answer is cut shorter, a call whose input leaves no room is not made. */
  readonly perCall?: { readonly tokens?: number | undefined } | undefined
  /** Money for a million tokens. */
  readonly prices?: { readonly input: number; readonly output: number } | undefined
  /** Longest wait for one attempt, in milliseconds. @default 60000 */
  readonly timeoutMs?: number | undefined
  /** Longest wait for an answer, with all attempts, pauses and the repair, in milliseconds. @default three times `timeoutMs` */
  readonly totalTimeoutMs?: number | undefined
  /** Attempts after the first, where another may help: no connection, time-outs, HTTP 429 and 5xx. @default 2 */
  readonly retries?: number | undefined
  /** Pause before the second attempt, in milliseconds; doubles each time, up to 8 s. A server's Retry-After comes first. @default 500 */
  readonly retryDelayMs?: number | undefined
}

const longestTimer = 2 ** 31 - 1
const amount = madeOnce(() => z.number().min(0))
const tokens = madeOnce(() => z.int().min(1))
const milliseconds = madeOnce(() => z.int().min(1).max(longestTimer))

export const modelLimitsSchema = madeOnce(() =>
  z
    .strictObject({
      perDay: z.strictObject({ tokens: tokens().optional(), cost: amount().optional() }).optional(),
      perCall: z.strictObject({ tokens: tokens().optional() }).optional(),
      prices: z.strictObject({ input: amount(), output: amount() }).optional(),
      timeoutMs: milliseconds().default(60_000),
      totalTimeoutMs: milliseconds().optional(),
      retries: z.int().min(0).max(20).default(2),
      retryDelayMs: z.int().min(0).max(60_000).default(500),
    })
    .refine(({ perDay, prices }) => perDay?.cost === undefined || prices !== undefined, {
      message: 'perDay.cost needs prices, the money for a million tokens',
    })
    .transform((given) => ({
      ...given,
      totalTimeoutMs: given.totalTimeoutMs ?? Math.min(3 * given.timeoutMs, longestTimer),
    })),
)

export type CheckedModelLimits = z.infer<ReturnType<typeof modelLimitsSchema>>

import type { GeneratedText, GenerateRequest } from '../../contract/index.ts'
import { InputError, MnemeError } from '../../errors/index.ts'
import type { Scope } from '../../model/index.ts'
import type { Core } from '../core.ts'
import { costOf, inputTokensOf, type Reservation, reserve, type Spending, settle, spentBy } from './ledger.ts'
import type { CheckedModelLimits } from './limits.ts'

/** An answer of fewer tokens is of no use. */
const fewestAnswerTokens = 64

/**
 * The request with as many tokens for its answer as a call may take beside its input (LED-3).
 * @throws InputError QUOTA_EXCEEDED when the input leaves no room for one
 */
export function withinCall(
  { perCall }: CheckedModelLimits,
  request: GenerateRequest & { readonly maxTokens: number },
): GenerateRequest & { readonly maxTokens: number } {
  const most = perCall?.tokens
  if (most === undefined) return request
  const room = most - inputTokensOf(request, 'bound')
  if (room >= Math.min(fewestAnswerTokens, request.maxTokens)) {
    return { ...request, maxTokens: Math.min(room, request.maxTokens) }
  }
  throw new InputError({
    code: 'QUOTA_EXCEEDED',
    message: `modelLimits.perCall.tokens: ${most} tokens a call, and the input may take ${most - room}: no answer fits. The call was not made; raise the limit or ask for less at once.`,
    details: { limit: most, input: most - room },
  })
}

/** What a task took, with attempts that failed on their way. */
export interface ModelUsage {
  /** Calls that were answered, or begun. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the calls, those whose tokens are estimated, as the model did not tell them. */
  readonly estimated: number
  /** With `modelLimits.prices`. */
  readonly cost?: number
}

export interface Meter {
  /** Runs an attempt within the limits of its scope, and writes down what it took. */
  charged(
    request: GenerateRequest & { readonly maxTokens: number },
    run: () => Promise<GeneratedText | MnemeError>,
  ): Promise<GeneratedText | MnemeError>
  /** What all attempts took so far. */
  usage(): ModelUsage
}

export function createMeter(core: Core, scope: Scope): Meter {
  const { modelLimits: limits, logger } = core
  let calls = 0
  let estimated = 0
  let inputTokens = 0
  let outputTokens = 0

  /** What was answered stays answered when it can't be written down. */
  async function write(reservation: Reservation | null, spent: Spending | null, isEstimated: boolean): Promise<void> {
    await settle(core, scope, reservation, spent, isEstimated).catch((error: unknown) =>
      logger.warn?.('what a language model took was not written down', {
        code: MnemeError.is(error) ? error.code : 'unknown',
      }),
    )
  }

  return {
    async charged(request, run) {
      let reservation: Reservation | null
      try {
        const bound = { inputTokens: inputTokensOf(request, 'bound'), outputTokens: request.maxTokens }
        reservation = await reserve(core, scope, bound)
      } catch (error) {
        if (MnemeError.is(error)) return error
        throw error
      }
      let outcome: GeneratedText | MnemeError
      try {
        outcome = await run()
      } catch (reason) {
        // Given up by the caller, who need not wait for the books.
        const spent = { inputTokens: inputTokensOf(request, 'estimate'), outputTokens: request.maxTokens }
        core.background(write(reservation, spent, true), 'what a language model took was not written down')
        throw reason
      }
      const { spent, isEstimated } = spentBy(outcome, request)
      await write(reservation, spent, isEstimated)
      if (spent) {
        calls++
        estimated += isEstimated ? 1 : 0
        inputTokens += spent.inputTokens
        outputTokens += spent.outputTokens
      }
      return outcome
    },
    usage: () => ({
      calls,
      inputTokens,
      outputTokens,
      estimated,
      ...(limits.prices ? { cost: costOf({ inputTokens, outputTokens }, limits) } : {}),
    }),
  }
}

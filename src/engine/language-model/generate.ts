import { setTimeout as pause } from 'node:timers/promises'
import type { GeneratedText, GenerateRequest, LanguageModel } from '../../contract/index.ts'
import { MnemeError, ModelError } from '../../errors/index.ts'
import { backOff } from '../../http/index.ts'
import type { CheckedModelLimits } from './limits.ts'

/** Who says "in an hour" is better asked by a later call than waited for. */
const longestRetryAfterMs = 30_000

export interface Generating {
  readonly model: LanguageModel
  readonly limits: CheckedModelLimits
  /** On the clock of `performance.now()`: until then an answer is waited for. */
  readonly deadline: number
  /** The caller's, and those that end the call whatever it is. Their reason is thrown. */
  readonly signals: readonly (AbortSignal | undefined)[]
  /** Runs each attempt: what it may take is set aside before, what it took is written down after. */
  charged(run: () => Promise<GeneratedText | MnemeError>): Promise<GeneratedText | MnemeError>
}

/**
 * One answer, checked, with as many attempts as the limits give it (MOD-4).
 * @throws MnemeError of the last attempt; the reason of an aborted signal at once
 */
export async function generate(call: Generating, request: GenerateRequest): Promise<GeneratedText> {
  const { model, limits, deadline, signals } = call
  for (let attempt = 1; ; attempt++) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) throw timedOut(model, limits.totalTimeoutMs)
    const outcome = await call.charged(() => attemptOnce(call, request, Math.min(limits.timeoutMs, leftMs)))
    if (!(outcome instanceof MnemeError)) return outcome
    const pauseMs = retryAfterOf(outcome) ?? backOff(limits.retryDelayMs, attempt)
    const isLast = attempt > limits.retries || !outcome.retryable || pauseMs > longestRetryAfterMs
    // A timer may be a little early: an attempt that had all the time that was left is the last one, whatever the clock says.
    const isOver = outcome.code === 'MODEL_TIMEOUT' && leftMs <= limits.timeoutMs
    if (isLast || isOver || performance.now() + pauseMs >= deadline) throw outcome
    await wait(pauseMs, signals)
  }
}

async function attemptOnce(
  { model, signals }: Generating,
  request: GenerateRequest,
  timeoutMs: number,
): Promise<GeneratedText | MnemeError> {
  return withAbort(signals, async (controller, aborted) => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<MnemeError>((resolve) => {
      timer = setTimeout(() => {
        resolve(timedOut(model, Math.round(timeoutMs)))
        controller.abort()
      }, timeoutMs)
    })
    const answering = Promise.resolve()
      .then(() => model.generate({ ...request, signal: controller.signal }))
      .then(
        (answer) => checkedAnswer(model, answer),
        (error: unknown) => failureOf(model, error),
      )
    try {
      // A model that doesn't listen to its signal is left behind: what it answers later is dropped.
      return await Promise.race([answering, late, aborted])
    } finally {
      clearTimeout(timer)
    }
  })
}

/** Runs work that ends with any of the signals, and throws that one's reason. */
async function withAbort<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (controller: AbortController, aborted: Promise<never>) => Promise<T>,
): Promise<T> {
  for (const signal of signals) signal?.throwIfAborted()
  const controller = new AbortController()
  // Not AbortSignal.any: on Node 20 it grows a long-lived signal's memory with every call.
  const listeners: (() => void)[] = []
  const aborted = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      if (!signal) continue
      const abort = () => {
        reject(signal.reason)
        controller.abort(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      listeners.push(() => signal.removeEventListener('abort', abort))
    }
  })
  aborted.catch(() => undefined)
  try {
    return await work(controller, aborted)
  } finally {
    for (const remove of listeners) remove()
  }
}

async function wait(ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  await withAbort(signals, async ({ signal }, aborted) => {
    await Promise.race([pause(ms, undefined, { signal }).catch(() => undefined), aborted])
  })
  for (const signal of signals) signal?.throwIfAborted()
}

function retryAfterOf(error: MnemeError): number | undefined {
  const { retryAfterMs } = error.details
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : undefined
}

function timedOut(model: LanguageModel, timeoutMs: number): ModelError {
  return new ModelError({
    code: 'MODEL_TIMEOUT',
    message: `The language model ${model.id} gave no complete answer within ${timeoutMs} ms. Raise timeoutMs of modelLimits, or ask for less.`,
    details: { model: model.id, timeoutMs },
  })
}

/** Only the name of what was thrown: message and cause may quote the prompt. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { name } = error
  return typeof name === 'string' && /^[A-Z]\w{1,60}$/i.test(name) ? name : 'unknown'
}

/** What looking at it gives; `otherwise` when that throws, as with a proxy: whatever a model throws or answers is its trouble. */
function looked<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}

function failureOf(model: LanguageModel, error: unknown): MnemeError {
  if (looked(() => MnemeError.is(error), false)) return error as MnemeError
  const name = looked(() => nameOf(error), 'unknown')
  return new ModelError({
    code: 'MODEL_UNAVAILABLE',
    message: `The language model ${model.id} failed (${name}). What needs no model goes on; try again later.`,
    details: { model: model.id, name },
  })
}

function checkedAnswer(model: LanguageModel, answer: unknown): GeneratedText | MnemeError {
  const given = (answer ?? {}) as Partial<GeneratedText>
  const { text, usage, finishReason } = looked(
    () => ({ text: given.text as unknown, usage: countsOf(given.usage), finishReason: given.finishReason }),
    { text: null, usage: undefined, finishReason: undefined },
  )
  if (typeof text !== 'string') {
    return new ModelError({
      code: 'MODEL_BAD_OUTPUT',
      message: `The language model ${model.id} returned something that is no text. Its generate must answer { text }.`,
      details: { model: model.id },
    })
  }
  return { text, ...(usage ? { usage } : {}), ...(finishReason === 'length' ? { finishReason } : {}) }
}

function countsOf(usage: GeneratedText['usage']): GeneratedText['usage'] {
  const { inputTokens, outputTokens } = usage ?? {}
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

import { errorFor, MnemeError } from '../errors/index.ts'
import type { Degradation } from './api/searching.ts'
import type { Core } from './core.ts'
import { eachOnce } from './degradations.ts'
import type { CallKey, Outcome, Planned, Round, Write, WriteInput } from './write-verb.ts'
import { runWrite } from './write-verb.ts'

/**
 * Transaction of a part: a call that is written in several has the first one's as its own, so that the others are found
 * from it. @param number 1 for the first
 */
export function partOf(tx: string, number: number): string {
  return number === 1 ? tx : `${tx}.${number}`
}

/** What is written in one transaction at most: so much is held in memory, and keeps other writers waiting. */
export const oneTransaction = {
  rows: 50_000,
  /** UTF-16 units of what they hold. */
  length: 32 * 2 ** 20,
}

/** The first of them that go in one transaction. */
export function firstOf<Item>(items: readonly Item[], lengthOf: (item: Item) => number): readonly Item[] {
  let length = 0
  const end = items.findIndex((item, place) => {
    length += lengthOf(item)
    return place >= oneTransaction.rows || (place > 0 && length > oneTransaction.length)
  })
  return end < 0 ? items : items.slice(0, end)
}

/** Changes of each transaction, where a call is written in several. */
export const changesOfPart = 2000

/** The same failure, with what became of the parts before. */
function partly(error: MnemeError, tx: string, advice: string): MnemeError {
  const { code, message, details } = error
  return errorFor({
    code,
    message: `${message} Earlier parts of this call are written and stay, as transaction ${tx}: ${advice}`,
    details: { ...details, tx },
    cause: error,
  })
}

export interface Parts<Output> {
  /** Plans and commits the next part. @throws what a write throws, saying what was written before */
  write(plan: (round: Round) => Promise<Planned>): Promise<Output>
  /** The call's transaction, once something was written. */
  readonly tx: string | undefined
}

/**
 * A call that is too large for one transaction, written in several: each is whole, is planned from what is there then, and
 * is answered again when the call is repeated with its key. @param advice what to do when it ends half-way
 */
export function inParts<Output extends { readonly tx?: string | undefined }>(
  core: Core,
  write: Omit<Write<Output>, 'plan' | 'tx'>,
  input: WriteInput,
  key: CallKey,
  advice: string,
): Parts<Output> {
  let first: string | undefined
  let asked = 0
  let written = 0
  return {
    get tx() {
      return first
    },
    async write(plan) {
      asked++
      const own = key && (asked === 1 ? key : { ...key, key: `${key.key}\0${asked}` })
      const tx = first === undefined ? undefined : partOf(first, written + 1)
      try {
        const answer = await runWrite(core, { ...write, plan, tx }, input, own)
        if (answer.tx === undefined) return answer
        first ??= answer.tx
        written++
        return answer
      } catch (error) {
        if (first === undefined || !MnemeError.is(error)) throw error
        throw partly(error, first, advice)
      }
    },
  }
}

/** Writes part after part until nothing more is to be done. */
export async function writeAll<Output extends { readonly more: boolean }>(
  parts: Parts<Output>,
  plan: () => Promise<Planned>,
): Promise<Output[]> {
  const answers: Output[] = []
  for (let more = true; more; ) {
    const answer = await parts.write(plan)
    answers.push(answer)
    more = answer.more
  }
  return answers
}

/** The transaction of a call in parts, whether all of them are durable, and what failed in any of them, each thing once. */
export function outcomeOfParts(
  tx: string | undefined,
  answers: readonly {
    readonly durable?: false | undefined
    readonly degraded?: readonly Degradation[] | undefined
  }[],
): Partial<Outcome> {
  const degraded = eachOnce(answers.flatMap((answer) => answer.degraded ?? []))
  return {
    ...(tx === undefined ? {} : { tx }),
    ...(answers.some(({ durable }) => durable === false) ? { durable: false } : {}),
    ...(degraded.length === 0 ? {} : { degraded }),
  }
}

import type { TokenCounter } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { getTokenCounter, type TokenProvider } from './get-token-counter.ts'
import { prefixWithin } from './prefix-within.ts'

function badCounter(what: string, cause?: unknown): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `counter: ${what}. Give { name, exact, count(text), truncate(text, tokens) } that counts the same text the same.`,
    details: { field: 'counter' },
    ...(cause === undefined ? {} : { cause }),
  })
}

const isFunction = (value: unknown) => typeof value === 'function'

/**
 * A caller's counter whose every answer is checked: a whole number from 0 on, 0 for an empty text. Beginnings are found by counting, whatever
 * its own `truncate` does.
 * @throws InputError INVALID_ARGUMENT for what is no counter; its methods throw the same when the counter throws or answers anything else
 */
export function checkedCounter(given: unknown): TokenCounter {
  if (typeof given !== 'object' || given === null) throw badCounter('is no token counter')
  const counter = given as TokenCounter
  const { hasCount, name, exact } = read(counter)
  if (!hasCount) throw badCounter('has no method count')
  const count = (text: string): number => {
    let tokens: unknown
    try {
      tokens = counter.count(text)
    } catch (cause) {
      throw badCounter('its count threw', cause)
    }
    if (tokens instanceof Promise) {
      // Refused already: what becomes of it must not end the process.
      tokens.catch(() => undefined)
      throw badCounter('its count gave a promise, and must count at once')
    }
    if (!Number.isSafeInteger(tokens) || (tokens as number) < 0)
      throw badCounter('its count gave no whole number from 0 on')
    if (text === '' && tokens !== 0) throw badCounter('it counts more than 0 for an empty text')
    return tokens as number
  }
  count('')
  return { name, exact, count, truncate: (text, tokens) => prefixWithin(text, tokens, count) }
}

function read(counter: TokenCounter) {
  try {
    return {
      hasCount: isFunction(counter.count),
      name: typeof counter.name === 'string' ? counter.name : 'custom',
      exact: counter.exact === true,
    }
  } catch (cause) {
    throw badCounter('can not be looked at', cause)
  }
}

/** When a text was counted twice with two answers. */
export function inconsistentCounter(): InputError {
  return badCounter('it counts the same text differently')
}

/** The counter that an option names or is, checked; the word counter without one. @throws InputError INVALID_ARGUMENT */
export function counterFor(given: TokenProvider | TokenCounter | undefined): TokenCounter {
  return typeof given === 'string' || given === undefined ? getTokenCounter(given) : checkedCounter(given)
}

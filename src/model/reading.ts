import { InputError, MnemeError } from '../errors/index.ts'

/**
 * Runs what reads a caller's value: a getter or proxy of theirs that throws is bad input, not a failure of ours (REC-9).
 * @throws InputError INVALID_ARGUMENT
 */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (MnemeError.is(cause)) throw cause
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `${what}: can't be read: it throws when it is looked at. Give plain objects.`,
      details: { path: what },
      cause,
    })
  }
}

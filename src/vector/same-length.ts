import { InputError } from '../errors/index.ts'

export function requireSameLength(a: ArrayLike<number>, b: ArrayLike<number>): void {
  if (a.length === b.length) return
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `Vectors of ${a.length} and ${b.length} numbers can't be compared. Compare vectors of one embedder.`,
    details: { left: a.length, right: b.length },
  })
}

import { SetupError } from '../errors/index.ts'

/** @throws SetupError BAD_CONFIG unless `value` is a non-empty string. */
export function requireText(value: unknown, option: string, factory: string): void {
  if (typeof value !== 'string' || value.trim() === '') throw badOption(factory, option, 'must be a non-empty string')
}

/** @throws SetupError BAD_CONFIG unless `value` is a whole number within the bounds. */
export function requireInteger(value: unknown, option: string, factory: string, min: number, max: number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return
  throw badOption(factory, option, `must be a whole number from ${min} to ${max}`)
}

/** Names the option and the remedy, never the value: it may be a secret. */
export function badOption(factory: string, option: string, remedy: string): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `The option ${option} of ${factory}() ${remedy}.`,
    details: { factory, option },
  })
}

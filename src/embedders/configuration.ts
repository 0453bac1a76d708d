import { requireInteger } from '../http/index.ts'

export { badOption, requireInteger, requireText } from '../http/index.ts'

/** @throws SetupError BAD_CONFIG unless `value` is a length vectors can have. */
export function requireDimensions(value: unknown, factory: string): void {
  requireInteger(value, 'dimensions', factory, 1, 65_536)
}

/** The nearest whole number at or above, for a column of `bigint`, of which whatever lies beyond is as far as it goes. */
export function ceiling(value: number): number {
  return Math.min(Math.max(Math.ceil(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

/** The nearest whole number at or below. */
export function floor(value: number): number {
  return Math.min(Math.max(Math.floor(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

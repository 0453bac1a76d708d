/** A figure, and the least that it may be. */
interface Bound {
  readonly name: string
  /** No value falls short of whatever was asked for. */
  readonly value: number | null | undefined
  readonly least: number | undefined
}

/** What fell short of the bounds that were given, in words. */
export function shortfalls(bounds: readonly Bound[]): string[] {
  return bounds.flatMap(({ name, value, least }) =>
    least !== undefined && (value ?? 0) < least ? [`${name} is ${(value ?? 0).toFixed(4)}, below ${least}.`] : [],
  )
}

/** The 97.5th percentile of the normal distribution: a two-sided interval of 95 %. */
const z = 1.959963984540054

/**
 * What share of uses succeeds at least, 0..1, with 95 % confidence: the lower bound of the score interval, so that one
 * success out of one says less than ninety out of a hundred. 0 without successes.
 *
 * E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927), 209–212.
 * @param successes whole and not negative, as is @param failures
 */
export function successBound(successes: number, failures: number): number {
  const uses = successes + failures
  // Not by the formula, which rounds to a hair beside it.
  if (successes === 0) return 0
  const share = successes / uses
  const centre = share + (z * z) / (2 * uses)
  const spread = z * Math.sqrt((share * (1 - share)) / uses + (z * z) / (4 * uses * uses))
  return (centre - spread) / (1 + (z * z) / uses)
}

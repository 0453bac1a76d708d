/** What codes and words of sockets and drivers mean. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'nobody listens at the host and port of the URL'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host of the URL was not found'],
  [/EHOSTUNREACH|ENETUNREACH/, 'no way leads to the host of the URL'],
  [/ETIMEDOUT|time ?out|timed out|connection in \d+ ?ms/i, 'it did not answer in time'],
]

/**
 * Why a server could not be reached, to be put behind words that say so: `: nobody listens at …`, or nothing where that is not known. What the
 * driver's own errors say is only looked at, as it may hold addresses.
 */
export function whyUnreachable(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    const told = `${(each as { readonly code?: unknown }).code} ${each.message}`
    const known = reasons.find(([words]) => words.test(told))
    if (known !== undefined) return `: ${known[1]}`
  }
  return ''
}

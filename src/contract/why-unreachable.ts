/** What words of a driver or a socket mean. What they say is only looked at, as it may hold addresses. */
export type Meaning = readonly [words: RegExp, meaning: string]

const reasons: readonly Meaning[] = [
  [/ECONNREFUSED/, 'nobody listens at the host and port of the URL'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host of the URL was not found'],
  [/EHOSTUNREACH|ENETUNREACH/, 'no way leads to the host of the URL'],
  [/ETIMEDOUT|time ?out|timed out|connection in \d+ ?ms/i, 'it did not answer in time'],
]

/** In the codes of Node, whose words name hosts. */
const mistrust: readonly Meaning[] = [
  [/\b(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)\b/, 'is for another host than that of the URL'],
  [/\bCERT_(?:HAS_EXPIRED|NOT_YET_VALID)\b/, 'has run out, or is not valid yet, by the clock here'],
  [
    /\b(?:CERT|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)_[A-Z_]+|certificate is not trusted/,
    'is not trusted here. The file of whoever signed it goes into NODE_EXTRA_CA_CERTS',
  ],
]

function meaningOf(error: unknown, meanings: readonly Meaning[]): string | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const told = `${(each as { readonly code?: unknown }).code} ${each.message}`
    const known = meanings.find(([words]) => words.test(told))
    if (known !== undefined) return known[1]
  }
  return null
}

/**
 * Why a server could not be reached, to be put behind words that say so: `: nobody listens at …`, or nothing where that is not known.
 * @param own of one driver; they go first
 */
export function whyUnreachable(error: unknown, own: readonly Meaning[] = []): string {
  const meaning = meaningOf(error, [...own, ...reasons])
  return meaning === null ? '' : `: ${meaning}`
}

/** Why a server's certificate is refused, and what to do; null where that is not what is wrong. */
export function whyMistrusted(error: unknown): string | null {
  const meaning = meaningOf(error, mistrust)
  return meaning === null ? null : `the certificate of the server ${meaning}`
}

/** Orders ids by UTF-16 code unit, so that every machine orders alike. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

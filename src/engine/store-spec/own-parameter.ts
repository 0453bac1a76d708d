/**
 * Takes a parameter of mneme's own out of an address, before a driver sees it: which of several memories on one server is meant.
 * @returns the address without it, and its value; undefined where it is not there
 */
export function ownParameter(address: string, name: string): readonly [address: string, value: string | undefined] {
  const start = address.indexOf('?')
  if (start < 0) return [address, undefined]
  const parameters = new URLSearchParams(address.slice(start + 1))
  const value = parameters.get(name)
  if (value === null) return [address, undefined]
  parameters.delete(name)
  const rest = parameters.toString()
  return [address.slice(0, start) + (rest === '' ? '' : `?${rest}`), value]
}

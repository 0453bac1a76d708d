import { median } from './measure.mjs'

/** A name for what is measured, without the size: `search/hybrid`, `open`. */
export const nameOf = ({ row, variant }) => (variant ? `${row}/${variant}` : row)

const figure = (values) => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
  runs: values.length,
})

/** What several runs measured: name → size → value → median, min, max. Failed runs don't count. */
export function summarise(measurements) {
  const collected = new Map()
  for (const { values, size, ...rest } of measurements) {
    if (!values) continue
    const name = nameOf(rest)
    const sizes = collected.get(name) ?? new Map()
    collected.set(name, sizes)
    const all = sizes.get(size) ?? {}
    sizes.set(size, all)
    for (const [key, value] of Object.entries(values)) all[key] = [...(all[key] ?? []), value]
  }
  const result = {}
  for (const [name, sizes] of collected) {
    result[name] = {}
    for (const [size, all] of [...sizes].sort(([a], [b]) => a - b)) {
      result[name][size] = Object.fromEntries(Object.entries(all).map(([key, values]) => [key, figure(values)]))
    }
  }
  return result
}

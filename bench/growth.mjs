// The plot of growth as SVG: five small panels, both axes logarithmic. No library: the smallest that draws on a server is a
// hundred times as long.
import { show } from './report.mjs'

const panels = [
  { title: 'search, p50', of: 'search/hybrid', value: 'p50', unit: 'ms' },
  { title: 'addMany', of: 'add-many/given', value: 'rate', unit: '/s' },
  { title: 'open to first search', of: 'open', value: 'firstSearch', unit: 'ms' },
  { title: 'resident memory', of: 'open', value: 'residentBytes', unit: 'MB' },
  { title: 'file', of: 'open', value: 'fileBytes', unit: 'MB' },
]
const panel = { width: 300, height: 220, left: 64, right: 20, top: 34, bottom: 34 }
const columns = 3
const ink = '#1f3a5f'

const decades = (low, high) => {
  const from = Math.floor(Math.log10(low))
  const to = Math.max(from + 1, Math.ceil(Math.log10(high)))
  return Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i))
}
const scale = (ticks, from, to) => {
  const [low, high] = [Math.log10(ticks[0]), Math.log10(ticks.at(-1))]
  return (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from)
}
const count = (n) => (n >= 1e6 ? `${n / 1e6}M` : n >= 1000 ? `${n / 1000}k` : String(n))
const text = (x, y, anchor, content, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${more}>${content}</text>`

function draw({ title, unit }, points, x0, y0) {
  const { width, height, left, right, top, bottom } = panel
  const parts = [text(x0 + left, y0 + 20, 'start', title, ' font-weight="bold"')]
  if (points.length === 0) return [...parts, text(x0 + left, y0 + height / 2, 'start', 'not measured')]
  const xs = decades(Math.min(...points.map(({ size }) => size)), Math.max(...points.map(({ size }) => size)))
  const ys = decades(Math.min(...points.map(({ min }) => min)), Math.max(...points.map(({ max }) => max)))
  const x = scale(xs, x0 + left, x0 + width - right)
  const y = scale(ys, y0 + height - bottom, y0 + top)
  for (const tick of xs) parts.push(text(x(tick), y0 + height - bottom + 16, 'middle', count(tick)))
  for (const tick of ys) {
    parts.push(
      `<line x1="${x0 + left}" x2="${x0 + width - right}" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}" stroke="#ddd"/>`,
    )
    parts.push(text(x0 + left - 6, y(tick) + 4, 'end', show(tick, unit).replace(/\.0+(?=\D)/, '')))
  }
  const line = points.map(({ size, median }) => `${x(size).toFixed(1)},${y(median).toFixed(1)}`).join(' ')
  parts.push(`<polyline points="${line}" fill="none" stroke="${ink}" stroke-width="1.5"/>`)
  for (const { size, median, min, max } of points) {
    const place = x(size).toFixed(1)
    parts.push(
      `<line x1="${place}" x2="${place}" y1="${y(min).toFixed(1)}" y2="${y(max).toFixed(1)}" stroke="${ink}"/>`,
    )
    parts.push(`<circle cx="${place}" cy="${y(median).toFixed(1)}" r="3" fill="${ink}"/>`)
    parts.push(text(x(size), y(median) - 8, 'middle', show(median, unit), ` fill="${ink}"`))
  }
  return parts
}

/** Search latency, insert rate, open time, memory and file size against the number of records: medians, with lines from min to max. */
export function growth(summary, caption) {
  const width = columns * panel.width
  const height = Math.ceil(panels.length / columns) * panel.height + 24
  const parts = panels.flatMap((one, i) => {
    const points = Object.entries(summary[one.of] ?? {}).flatMap(([size, figures]) =>
      figures[one.value] ? [{ size: Number(size), ...figures[one.value] }] : [],
    )
    return draw(one, points, (i % columns) * panel.width, Math.floor(i / columns) * panel.height)
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    '<title>Search latency, insert rate, open time, memory and file size against the number of records</title>',
    `<rect width="${width}" height="${height}" fill="white"/>`,
    ...parts,
    text(8, height - 8, 'start', caption.replaceAll('&', '&amp;').replaceAll('<', '&lt;'), ' fill="#666"'),
    '</svg>',
    '',
  ].join('\n')
}

import {
  type ContextFormat,
  type ContextSection,
  contextSections,
  escapeMemoryText,
  memoryMarkers,
} from '../text/index.ts'

/** A memory as a model is shown it. */
export interface ContextItem {
  readonly section: ContextSection
  readonly text: string
  /** When it happened, or from when and until when it holds: dates as they are shown. */
  readonly when?: string | undefined
  /** Who said it. */
  readonly by?: string | undefined
  /** Nobody vouches for it. */
  readonly untrusted?: true | undefined
  /** There is more of it. */
  readonly shortened?: true | undefined
}

export interface RenderOptions {
  readonly format: ContextFormat
  /** Each memory has a label, `[1]`, to be cited by. */
  readonly cite: boolean
}

const headings: Readonly<Record<ContextSection, string>> = {
  profile: 'Profile',
  pinned: 'Pinned',
  facts: 'Facts',
  episodes: 'Episodes',
  skills: 'Skills',
}

/** The heading of a section as a line. */
export function headingLine(section: ContextSection, format: ContextFormat): string {
  if (format === 'xml') return `<${section}>`
  return format === 'markdown' ? `### ${headings[section]}` : `${headings[section]}:`
}

export function labelOf(position: number): string {
  return `[${position + 1}]`
}

/** A name between parentheses: none of it ends the list that it stands in. */
function escapeName(name: string, format: ContextFormat): string {
  return escapeMemoryText(name, format).replace(/\\.|[(),]/g, (mark) => (mark.length > 1 ? mark : `\\${mark}`))
}

/** A memory as one line. Its label is `undefined` where memories are not cited. */
export function itemLine(item: ContextItem, label: string | undefined, format: ContextFormat): string {
  const { text, when, by, untrusted, shortened } = item
  if (format === 'xml') {
    const attributes = [
      label === undefined ? '' : ` label="${label}"`,
      when === undefined ? '' : ` when="${when}"`,
      by === undefined ? '' : ` by="${escapeMemoryText(by, format)}"`,
      untrusted ? ' untrusted="true"' : '',
      shortened ? ' shortened="true"' : '',
    ]
    return `<item${attributes.join('')}>${escapeMemoryText(text, format)}</item>`
  }
  const marks = [
    ...(when === undefined ? [] : [when]),
    ...(by === undefined ? [] : [`by ${escapeName(by, format)}`]),
    ...(untrusted ? ['untrusted'] : []),
    ...(shortened ? ['shortened'] : []),
  ]
  const bullet = format === 'markdown' || label === undefined ? '- ' : ''
  const shown = label === undefined ? '' : `${label} `
  return `${bullet}${shown}${marks.length > 0 ? `(${marks.join(', ')}) ` : ''}${escapeMemoryText(text, format)}`
}

/** Memories as one block of text, section by section; empty when there are none. The items must stand in the order of their sections. */
export function renderContext(items: readonly ContextItem[], { format, cite }: RenderOptions): string {
  if (items.length === 0) return ''
  const { begin, end } = memoryMarkers[format]
  const lines = [begin]
  let position = 0
  for (const section of contextSections) {
    const own = items.filter((item) => item.section === section)
    if (own.length === 0) continue
    lines.push(headingLine(section, format))
    for (const item of own) lines.push(itemLine(item, cite ? labelOf(position++) : undefined, format))
    if (format === 'xml') lines.push(`</${section}>`)
  }
  return [...lines, end].join('\n')
}

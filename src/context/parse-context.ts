import { InputError } from '../errors/index.ts'
import {
  type ContextFormat,
  type ContextSection,
  contextSections,
  memoryMarkers,
  unescapeMemoryText,
} from '../text/index.ts'
import { type ContextItem, headingLine, labelOf } from './render-context.ts'

export interface ParsedContext {
  readonly items: readonly ContextItem[]
  readonly cite: boolean
}

function malformed(line: number): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `text: line ${line + 1} is not as a rendered context has it. Give the text unchanged, with its format.`,
    details: { field: 'text' },
  })
}

const dates = /^(?:(?:from|until) )?-?\d+(?:-\d\d){0,2}(?: \d\d:\d\d)?(?: to -?\d+(?:-\d\d){0,2}(?: \d\d:\d\d)?)?$/
const xmlItem =
  /^<item(?: label="(\[\d+\])")?(?: when="([^"<>]*)")?(?: by="([^"<>]*)")?( untrusted="true")?( shortened="true")?>([^<>]*)<\/item>$/
const plainItem = /^(- )?(?:(\[\d+\]) )?(?:\(((?:[^()\\]|\\.)*)\) )?(.*)$/s

interface ParsedLine {
  readonly label: string | undefined
  readonly item: Omit<ContextItem, 'section'>
}

function marksOf(list: string | undefined): Omit<ContextItem, 'section' | 'text'> | null {
  if (list === undefined) return {}
  const parts = (list.match(/(?:\\.|[^,\\])+/g) ?? []).map((part) => part.replace(/^ /, ''))
  const when = parts[0] !== undefined && dates.test(parts[0]) ? parts.shift() : undefined
  const by = parts[0]?.startsWith('by ') ? unescapeMemoryText((parts.shift() as string).slice(3)) : undefined
  const untrusted = parts[0] === 'untrusted' && parts.shift() !== undefined
  const shortened = parts[0] === 'shortened' && parts.shift() !== undefined
  if (parts.length > 0) return null
  return {
    ...(when === undefined ? {} : { when }),
    ...(by === undefined ? {} : { by }),
    ...(untrusted ? { untrusted } : {}),
    ...(shortened ? { shortened } : {}),
  }
}

function readItem(line: string, format: ContextFormat): ParsedLine | null {
  if (format === 'xml') {
    const match = xmlItem.exec(line)
    if (!match) return null
    const [, label, when, by, untrusted, shortened, text = ''] = match
    const marks = {
      ...(when === undefined ? {} : { when }),
      ...(by === undefined ? {} : { by: unescapeMemoryText(by) }),
      ...(untrusted ? { untrusted: true as const } : {}),
      ...(shortened ? { shortened: true as const } : {}),
    }
    return { label, item: { text: unescapeMemoryText(text), ...marks } }
  }
  const match = plainItem.exec(line)
  if (!match) return null
  const [, bullet, label, list, text = ''] = match
  const marks = marksOf(list)
  const isBulleted = format === 'markdown' || label === undefined
  if (marks === null || isBulleted !== (bullet !== undefined)) return null
  return { label, item: { text: unescapeMemoryText(text), ...marks } }
}

/**
 * Reads a rendered context back to exactly the items that were put in: the proof that nothing in them passes for anything else
 * (FED-11). An empty text has none.
 * @throws InputError INVALID_ARGUMENT naming the first line that no rendering has
 */
export function parseContext(text: string, format: ContextFormat): ParsedContext {
  if (text === '') return { items: [], cite: false }
  const { begin, end } = memoryMarkers[format]
  const lines = text.split('\n')
  if (lines[0] !== begin) throw malformed(0)
  if (lines.at(-1) !== end || lines.length < 4) throw malformed(lines.length - 1)
  const items: ContextItem[] = []
  let section: ContextSection | undefined
  let cite: boolean | undefined
  for (let i = 1; i < lines.length - 1; i++) {
    const line = lines[i] as string
    const next = contextSections.find((one) => headingLine(one, format) === line)
    if (next !== undefined) {
      if (section !== undefined && contextSections.indexOf(next) <= contextSections.indexOf(section)) throw malformed(i)
      section = next
      continue
    }
    if (format === 'xml' && section !== undefined && line === `</${section}>`) continue
    const read = section === undefined ? null : readItem(line, format)
    if (read === null || section === undefined) throw malformed(i)
    cite ??= read.label !== undefined
    if (read.label !== (cite ? labelOf(items.length) : undefined)) throw malformed(i)
    items.push({ section, ...read.item })
  }
  return { items, cite: cite ?? false }
}

import { InputError } from '../../errors/index.ts'
import { isDeepYaml } from '../../model/index.ts'
import { parseSkill, type Skill } from './skill.ts'
import { currentFormat, headings, marks } from './skill-to-markdown.ts'

export interface SkillFile {
  readonly skill: Skill
  /** Fields of the front matter that a skill has no place for, in the order of the file. */
  readonly ignored: readonly string[]
}

const what = 'SKILL.md'

function refuse(path: string, why: string, cause?: unknown): InputError {
  const place = path === '' ? what : `${what}.${path}`
  return new InputError({ code: 'INVALID_RECORD', message: `${place}: ${why}`, details: { path: place }, cause })
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Front matter and body. Line ends of other systems and a byte order mark are no part of either. */
async function split(text: string): Promise<{ fields: Fields; body: string }> {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const found = /^---[ \t]*\n(.*?)(?:^|\n)---[ \t]*(?:\n|$)/s.exec(plain)
  if (found === null) {
    throw refuse('', 'has no front matter. Begin with a line "---", then name: and description:, then a line "---".')
  }
  const front = found[1] ?? ''
  if (await isDeepYaml(front)) throw refuse('', 'the front matter is nested too deep. Write it flat.')
  const { parse } = await import('yaml')
  let fields: unknown
  try {
    // Aliases would let a small file grow without end; a warning would print what the file says.
    fields = parse(front, { maxAliasCount: 0, logLevel: 'error' })
  } catch (cause) {
    throw refuse('', 'the front matter is no YAML. Put texts with a colon or a # in quotes.', cause)
  }
  if (!isFields(fields)) throw refuse('', 'the front matter must have name: and description:.')
  return { fields, body: plain.slice(found[0].length).trim() }
}

/** A count that we wrote; what others keep under the same name is a mistake and not passed over. */
function countOf(metadata: Fields, name: string): number | undefined {
  const value = metadata[name]
  if (value === undefined) return undefined
  if (!/^\d{1,10}$/.test(String(value))) throw refuse(`metadata.${name}`, 'must be a whole number.')
  return Number(value)
}

function fromJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refuse(path, 'a block of JSON can not be read.', cause)
  }
}

const fence = /^[ \t]*```json\n(.*?)\n[ \t]*```[ \t]*$/gms

function blocks(text: string, path: string): unknown[] {
  return [...text.matchAll(fence)].map(([, json = '']) => fromJson(json, path))
}

function paragraph(text: string | undefined, path: string): unknown {
  if (text === undefined) return undefined
  const [block] = blocks(text, path)
  return block === undefined ? text : block
}

/** The items of a list, numbered or not; lines below an item belong to it. Lines inside of JSON begin no item. */
function items(text: string | undefined, path: string): unknown[] {
  if (text === undefined) return []
  return text.split(/^(?=\d+\. |- )/m).flatMap((part) => {
    const item = part.replace(/^(?:\d+\. |- )/, '').trim()
    if (item === '') return []
    const [block] = blocks(item, path)
    return [block === undefined ? item : block]
  })
}

/** What stands under our headings. Under others it is kept as a step: nothing of a file is lost. */
function sections(body: string): { known: ReadonlyMap<string, string>; rest: readonly string[] } {
  const known = new Map<string, string>()
  const rest: string[] = []
  const names: ReadonlySet<string> = new Set(Object.values(headings))
  for (const part of body.split(/^(?=## )/m)) {
    const [, heading = '', text = ''] = /^## ([^\n]*)\n?(.*)$/s.exec(part) ?? []
    if (names.has(heading.trim()) && !known.has(heading.trim())) known.set(heading.trim(), text.trim())
    else if (part.trim() !== '') rest.push(part.trim())
  }
  return { known, rest }
}

function laidOut(body: string, description: unknown): Fields {
  const { known, rest } = sections(body)
  const under = (name: keyof typeof headings) => known.get(headings[name])
  return {
    trigger: paragraph(under('trigger'), headings.trigger) ?? description,
    preconditions: items(under('preconditions'), headings.preconditions),
    steps: [...items(under('steps'), headings.steps), ...rest],
    expectedOutcome: paragraph(under('expectedOutcome'), headings.expectedOutcome),
    examples: blocks(under('examples') ?? '', headings.examples),
  }
}

/**
 * Reads a SKILL.md file. Of one that `skillToMarkdown` wrote comes the same skill (SKL-4). Any other has its description
 * as trigger, as that says when to use it, and its body as the one step, word for word (SKL-5).
 * @throws InputError INVALID_RECORD for a file without front matter, name or description, or beyond the bounds of a skill
 */
export async function skillFromMarkdown(text: string): Promise<SkillFile> {
  const { fields, body } = await split(text)
  const { name, description, metadata, ...others } = fields
  if (name === undefined || name === null) throw refuse('name', 'is missing.')
  if (description === undefined || description === null) throw refuse('description', 'is missing.')
  const own = isFields(metadata) ? metadata : {}
  const isOurs = own[marks.format] === currentFormat
  const content = isOurs ? laidOut(body, description) : { trigger: description, steps: body === '' ? [] : [body] }
  const skill = parseSkill(
    {
      name,
      description,
      ...content,
      version: countOf(own, marks.version),
      successes: countOf(own, marks.successes),
      failures: countOf(own, marks.failures),
    },
    what,
  )
  const ours: ReadonlySet<string> = new Set(Object.values(marks))
  const foreign = Object.keys(own).filter((key) => !ours.has(key))
  const unplaced = metadata === undefined || isFields(metadata) ? [] : ['metadata']
  return { skill, ignored: [...Object.keys(others), ...unplaced, ...foreign.map((key) => `metadata.${key}`)] }
}

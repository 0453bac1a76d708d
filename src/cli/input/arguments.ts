import { createReadStream } from 'node:fs'
import type { Verb } from '../../engine/index.ts'
import { InputError } from '../../errors/index.ts'
import type { CliIo } from '../io.ts'
import { contentField, idField, memoryFields, memoryOf } from './memory-fields.ts'
import { parseMessages, refuseBoth, textOfFile } from './messages.ts'
import { isList, type OptionSpec } from './option-specs.ts'
import { parseJsonText, parseList, parseValue, refuse } from './option-values.ts'
import { readStdinText } from './stdin.ts'

/** What an argument is read from. */
export interface ArgumentSource {
  readonly io: CliIo
  /** As typed; undefined when left out. */
  readonly raw: string | readonly string[] | undefined
  /** Options that belong to the argument, parsed. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** How one argument of a verb is typed and read. */
export interface ArgumentSpec {
  readonly name: string
  /** As usage shows it: `<id>`, `[text]`, `[ids...]`. */
  readonly usage: string
  readonly help: string
  /** Options that say more about the argument. */
  readonly options: readonly OptionSpec[]
  read(source: ArgumentSource): Promise<unknown>
}

type Reader = Omit<ArgumentSpec, 'name'>

/** Left out or `-`: what is piped in. @throws InputError when nothing is */
async function textOf({ raw, io }: ArgumentSource, what: string): Promise<string> {
  if (typeof raw === 'string' && raw !== '-') return raw
  if (raw === undefined && io.isTerminal.stdin) throw refuse(what, 'is missing. Give it as an argument, or pipe it in')
  return readStdinText(io)
}

/** What an error calls the text: what is piped in is not the argument. */
function nameOf({ raw }: ArgumentSource, what: string): string {
  return raw === undefined || raw === '-' ? 'stdin' : what
}

function parseObject(text: string, what: string): Record<string, unknown> {
  const value = parseJsonText(text, what)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw refuse(what, 'must be a JSON object')
}

async function readMemory(source: ArgumentSource): Promise<unknown> {
  const { json, ...given } = source.fields
  const text = await textOf(source, 'TEXT')
  const fields = memoryOf(given)
  if (json === true) return { ...parseObject(text, nameOf(source, 'TEXT')), ...fields }
  return Object.keys(fields).length === 0 ? text : { content: text, ...fields }
}

const jsonFlag: OptionSpec = { name: 'json', kind: 'flag', required: false }

const memory: Reader = {
  usage: '[text]',
  help: 'what to remember; - or nothing reads it from stdin',
  options: [...memoryFields, idField, jsonFlag],
  read: readMemory,
}

const replacement: Reader = {
  usage: '[text]',
  help: 'the newer fact; - or nothing reads it from stdin',
  options: [...memory.options, { name: 'by', kind: 'text', required: false }],
  async read(source) {
    const { by, ...fields } = source.fields
    if (by === undefined) return readMemory({ ...source, fields })
    if (source.raw === undefined && Object.keys(fields).length === 0) return { id: by }
    throw refuse('--by', 'names a memory that is there already, so neither text nor fields can be given with it')
  },
}

const patch: Reader = {
  usage: '[text]',
  help: 'the new text, or a JSON object of fields, where null removes one; - reads it from stdin. Or say it with the options',
  options: [contentField, ...memoryFields],
  async read(source) {
    const fields = memoryOf(source.fields)
    if (source.raw === undefined && Object.keys(fields).length > 0) return fields
    const text = await textOf(source, 'TEXT')
    if (text.trimStart().startsWith('{')) return { ...parseObject(text, nameOf(source, 'TEXT')), ...fields }
    if (fields.content !== undefined) throw refuse('--content', 'gives a new text, and so does the argument')
    return { content: text, ...fields }
  },
}

/** Lines of JSON when the first line is, else lines of text. */
function parseItems(text: string): unknown[] {
  if (text.trimStart().startsWith('[')) {
    const value = parseJsonText(text, 'stdin')
    if (Array.isArray(value)) return value
  }
  const lines = text.split(/\r?\n/).map((line, i) => ({ line, number: i + 1 }))
  const filled = lines.filter(({ line }) => line.trim() !== '')
  if (!/^\s*["{]/.test(filled[0]?.line ?? '')) return filled.map(({ line }) => line)
  return filled.map(({ line, number }) => parseJsonText(line, `stdin, line ${number}`))
}

const memories: Reader = {
  usage: '[memories...]',
  help: 'texts, or one JSON array of texts and objects; - or nothing reads a JSON array, JSON lines or lines of text from stdin',
  options: [],
  async read({ raw, io }) {
    const [first, ...more] = raw ?? []
    if (first === undefined || (first === '-' && more.length === 0)) {
      return parseItems(await textOf({ raw: first, io, fields: {} }, 'MEMORIES'))
    }
    if (more.length > 0 || !first.startsWith('[')) return raw
    const value = parseJsonText(first, 'MEMORIES')
    return Array.isArray(value) ? value : raw
  },
}

/** An id a line, or lines of JSON with an id, such as `mneme list -o jsonl` writes. */
function parseIds(text: string): unknown[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    if (line.trim() === '') return []
    return line.startsWith('{') ? [parseObject(line, `stdin, line ${i + 1}`).id] : [line.trim()]
  })
}

const messages: Reader = {
  usage: '[text]',
  help: 'what the user said, or messages as a JSON array or JSON lines; - or nothing reads it from stdin',
  options: [{ name: 'file', kind: 'text', required: false }],
  async read(source) {
    const { file } = source.fields
    if (typeof file !== 'string') return parseMessages(await textOf(source, 'TEXT'), nameOf(source, 'TEXT'))
    return source.raw === undefined ? parseMessages(await textOfFile(file, '--file'), file) : refuseBoth()
  },
}

const ids: Reader = {
  usage: '[ids...]',
  help: 'ids, or one JSON array of ids; - or nothing reads ids or JSON lines from stdin',
  options: [],
  async read({ raw, io }) {
    const given = raw ?? []
    if (given.length === 0 || (given.length === 1 && given[0] === '-')) {
      return parseIds(await textOf({ raw: given[0], io, fields: {} }, 'IDS'))
    }
    return typeof given === 'string'
      ? [given]
      : given.flatMap((text) => (text.startsWith('[') ? parseList([text], 'IDS') : [text]))
  },
}

const plan: Reader = {
  usage: '[plan]',
  help: 'a plan as JSON, or an answer that holds one; - or nothing reads it from stdin',
  options: [],
  async read(source) {
    const value = parseObject(await textOf(source, 'PLAN'), nameOf(source, 'PLAN'))
    return Object.hasOwn(value, 'plan') ? value.plan : value
  },
}

/** Opens the file anew whenever it is read: an import that lost against another write reads again. */
function fileText(path: string): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* createReadStream(path, 'utf8')
      } catch (cause) {
        const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
        throw new InputError({
          code: 'INVALID_ARGUMENT',
          message: `FILE: ${path} can't be read (${code}). Check the path and its permissions; - reads from stdin.`,
          details: { path },
          cause,
        })
      }
    },
  }
}

const source: Reader = {
  usage: '<file>',
  help: 'the file; - reads from stdin',
  options: [],
  read: async ({ raw, io }) => (raw === '-' ? readStdinText(io) : fileText(String(raw))),
}

const query: Reader = {
  usage: '[query]',
  help: 'what to look for, in any words; - or nothing reads it from stdin',
  options: [],
  read: (from) => textOf(from, 'QUERY'),
}

const content: Reader = {
  usage: '[text]',
  help: 'what happened; - or nothing reads it from stdin',
  options: [],
  read: (from) => textOf(from, 'TEXT'),
}

const namespace: Reader = {
  usage: '<namespace>',
  help: 'segments with commas between them, outermost first, or a JSON array of them; [] for none',
  options: [],
  read: async ({ raw }) => parseList([String(raw)], 'NAMESPACE'),
}

const value: Reader = {
  usage: '[value]',
  help: 'any JSON; what is not JSON is a text; - or nothing reads it from stdin',
  options: [],
  read: async (from) => parseValue(await textOf(from, 'VALUE')),
}

const skill: Reader = {
  usage: '[skill]',
  help: 'a skill as a JSON object; - or nothing reads it from stdin',
  options: [],
  read: async (from) => parseObject(await textOf(from, 'SKILL'), nameOf(from, 'SKILL')),
}

const tool: Reader = {
  usage: '[tool]',
  help: 'a tool as a JSON object; - or nothing reads it from stdin',
  options: [],
  read: async (from) => parseObject(await textOf(from, 'TOOL'), nameOf(from, 'TOOL')),
}

const text: Reader = {
  usage: '[text]',
  help: 'the text of a SKILL.md; - or nothing reads it from stdin',
  options: [],
  read: (from) => textOf(from, 'TEXT'),
}

const version: Reader = {
  usage: '<version>',
  help: 'its number',
  options: [],
  read: async ({ raw }) => parseValue(String(raw)),
}

const readers: Readonly<Record<string, Reader>> = {
  memory,
  memories,
  messages,
  replacement,
  patch,
  ids,
  plan,
  source,
  query,
  content,
  namespace,
  value,
  skill,
  tool,
  text,
  version,
}

const plainHelp: Readonly<Record<string, string>> = {
  id: 'id of the memory',
  'conflicts.resolve.id': 'id of the contradiction, from conflicts list; its beginning will do',
  key: 'its name',
  name: 'its name',
  'summaries.refresh.name': 'session or profile',
  'summaries.get.name': 'session or profile',
  alias: 'another name of it',
  into: 'the name of the one that stays',
  from: 'id of the memory it leads from',
  to: 'id of the memory it leads to',
  tx: 'the transaction, from the answer of a write or from history',
  path: 'where to; must not exist yet',
  folder: 'the folder that holds them',
  sessionId: 'the session',
}

function plain(verb: Verb, name: string): Reader {
  const help = plainHelp[`${verb.name}.${name}`] ?? plainHelp[name] ?? ''
  return { usage: `<${name}>`, help, options: [], read: async ({ raw }) => raw }
}

/** An argument that others follow can't be left out. */
function mandatory(usage: string): string {
  return usage.replace(/^\[(.*)\]$/, '<$1>')
}

/** The arguments of a verb, in order. */
export function argumentSpecs(verb: Verb): ArgumentSpec[] {
  return verb.positional.map((name, i) => {
    const reader = readers[name] ?? (isList(verb, name) ? ids : plain(verb, name))
    const last = i === verb.positional.length - 1
    return { name, ...reader, usage: last ? reader.usage : mandatory(reader.usage) }
  })
}

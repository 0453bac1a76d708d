import type { MemoryEngine, ReadScopeOptions, Verb } from '../../engine/index.ts'
import { InputError } from '../../errors/index.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const anyUuid = '00000000-0000-0000-0000-000000000000'
const shortest = 6
const mostListed = 10
/** Open contradictions of which an id may be shortened. */
const mostConflicts = 1000

/**
 * Only generated ids may be shortened: they all have one length, so none is the beginning of another. Of ids of one's
 * own, `note-1` must never come to mean `note-10`.
 */
function isBeginning(text: string): boolean {
  return text.length >= shortest && text.length < anyUuid.length && uuid.test(text + anyUuid.slice(text.length))
}

/** The id that was meant: as typed, or the only one in the scope that begins so. @throws InputError when several do */
async function fullId(
  memory: MemoryEngine,
  typed: string,
  what: string,
  read: ReadScopeOptions,
  listed: (typed: string) => Promise<readonly { readonly id: string }[]>,
): Promise<string> {
  if (!isBeginning(typed) || (await memory.get(typed, read)) !== null) return typed
  const ids = (await listed(typed)).map(({ id }) => id).filter((id) => uuid.test(id))
  if (ids.length <= 1) return ids[0] ?? typed
  const some = ids.slice(0, mostListed).join(', ')
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `${what}: several memories begin with ${typed}: ${some}${ids.length > mostListed ? ', …' : ''}. Give more of the id.`,
    details: { ids: ids.slice(0, mostListed) },
  })
}

const singles = new Set(['id', 'from', 'to'])

/** Nothing but an id: `supersede --by`. A memory with an id of its own is something new. */
function isReference(value: unknown): value is { readonly id: string } {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'id' && 'id' in value
}

/** A value of a verb's input with the ids in it made whole. */
export async function withFullIds(
  memory: MemoryEngine,
  verb: Verb,
  name: string,
  value: unknown,
  read: ReadScopeOptions,
): Promise<unknown> {
  const memories = async (typed: string) => {
    const filter = { 'record.id': { startsWith: typed } }
    return (await memory.list({ filter, status: 'any', limit: mostListed + 1 }, read)).records
  }
  const conflicts = async (typed: string) => {
    const open = (await memory.conflicts.list({ ...read, limit: mostConflicts })).conflicts
    return open.filter(({ id }) => id.startsWith(typed))
  }
  const listed = verb.name === 'conflicts.resolve' ? conflicts : memories
  const full = (typed: unknown): Promise<unknown> =>
    typeof typed === 'string' ? fullId(memory, typed, name.toUpperCase(), read, listed) : Promise.resolve(typed)
  if (singles.has(name)) return full(value)
  if (name === 'ids' && Array.isArray(value)) return Promise.all(value.map(full))
  if (verb.name === 'supersede' && name === 'replacement' && isReference(value)) return { id: await full(value.id) }
  return value
}

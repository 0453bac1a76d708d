import { InputError } from '../errors/index.ts'
import { reading } from './reading.ts'

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }
export type JsonObject = { readonly [key: string]: JsonValue }

/** Whether a value is an object of named values: no list, not null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const maxDepth = 100
/** Most values in one metadata or data; shared parts count each time they are met. */
const maxNodes = 100_000

function refuse(path: string, why: string): InputError {
  return new InputError({
    code: 'INVALID_RECORD',
    message: `${path}: ${why}. Store plain JSON: strings, finite numbers, booleans, null, arrays and plain objects.`,
    details: { path },
  })
}

/** An object that is nothing but its own keys: no array, date, map, set or instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function check(value: unknown, path: string, ancestors: unknown[], budget: { nodes: number }): void {
  if (--budget.nodes < 0) throw refuse(path, `more than ${maxNodes} values`)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refuse(path, 'NaN and infinite numbers are not JSON')
    return
  }
  if (typeof value !== 'object') throw refuse(path, `a value of type ${typeof value} is not JSON`)
  if (ancestors.includes(value)) throw refuse(path, 'the value contains itself')
  if (ancestors.length >= maxDepth) throw refuse(path, `nested deeper than ${maxDepth} levels`)
  ancestors.push(value)
  if (Array.isArray(value)) {
    if ('toJSON' in value) throw refuse(path, 'a list that writes itself is not JSON')
    for (let i = 0; i < value.length; i++) check(value[i], `${path}[${i}]`, ancestors, budget)
  } else {
    if (!isPlainObject(value)) throw refuse(path, 'dates, maps, sets and class instances are not JSON')
    for (const key of Object.keys(value)) {
      check(value[key], `${path}.${key}`, ancestors, budget)
    }
  }
  ancestors.pop()
}

/**
 * A deep copy of a JSON value (REC-4): changing the original later changes nothing stored.
 * @throws InputError INVALID_RECORD with the path of the first value that is not JSON (NaN, dates, sets, cycles, undefined).
 */
export function parseJson(value: unknown, path: string): JsonValue {
  return reading(path, () => {
    check(value, path, [], { nodes: maxNodes })
    // parse(stringify()) and not a hand-made copy: it keeps an own key named __proto__ an own key.
    return JSON.parse(JSON.stringify(value)) as JsonValue
  })
}

/** Equal as JSON: key order does not matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) && equalJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}

/** One spelling for equal JSON values: keys sorted. For digests. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
    // Entries and not assignment, so that a key named __proto__ survives.
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  })
}

/** True when a value has more parts than a number, shared ones counted each time they are met. Cycles have. */
export function hasMoreParts(value: unknown, than: number): boolean {
  let left = than
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (--left < 0) return true
    if (typeof next !== 'object' || next === null) continue
    for (const part of Array.isArray(next) ? next : Object.values(next)) waiting.push(part)
    if (waiting.length > left) return true
  }
  return false
}

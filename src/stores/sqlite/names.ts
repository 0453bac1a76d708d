import { ownerKey, type Scope, scopeKey } from '../../model/index.ts'
import type { Connection } from './connection.ts'
import type { SqliteValue } from './driver.ts'

/** Numbers that stand for names in rows, found or made; for one transaction, as a rollback takes new ones back. */
export interface Names {
  owner(key: string): number
  scope(scope: Scope): number
  analyser(name: string): number
  space(name: string, dimensions: number): number
}

export function namesIn(db: Connection): Names {
  const found = new Map<string, number>()

  function id(cacheKey: string, select: string, insert: string, values: readonly SqliteValue[]): number {
    const cached = found.get(cacheKey)
    if (cached !== undefined) return cached
    const row = db.sql(select).get(...values) ?? db.sql(insert).get(...values)
    const number = row?.id as number
    found.set(cacheKey, number)
    return number
  }

  const owner = (key: string) =>
    id(
      `o${key}`,
      'SELECT id FROM owners WHERE key = ?',
      'INSERT INTO owners (key, last_at) VALUES (?, 0) RETURNING id',
      [key],
    )

  function scope(scope: Scope): number {
    const key = scopeKey(scope)
    const cached = found.get(`s${key}`)
    if (cached !== undefined) return cached
    const row =
      db.sql('SELECT id FROM scopes WHERE key = ?').get(key) ??
      db.sql('INSERT INTO scopes (key, owner) VALUES (?, ?) RETURNING id').get(key, owner(ownerKey(scope)))
    const number = row?.id as number
    found.set(`s${key}`, number)
    return number
  }

  return {
    owner,
    scope,
    analyser: (name) =>
      id(
        `a${name}`,
        'SELECT id FROM analysers WHERE name = ?',
        'INSERT INTO analysers (name) VALUES (?) RETURNING id',
        [name],
      ),
    space: (name, dimensions) =>
      id(
        `v${dimensions} ${name}`,
        'SELECT id FROM spaces WHERE name = ? AND dimensions = ?',
        'INSERT INTO spaces (name, dimensions) VALUES (?, ?) RETURNING id',
        [name, dimensions],
      ),
  }
}

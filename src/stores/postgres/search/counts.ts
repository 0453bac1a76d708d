import { digestOf } from '../names.ts'
import type { Searched, VectorForm } from './index-rows.ts'

interface Place {
  readonly owner: number
  readonly scope: number
  readonly status: number
}

interface Group<Value> extends Place {
  readonly key: Value
  count: number
}

interface Totals extends Place {
  documents: number
  lengths: number
  tokenRecords: number
  tokenEntries: number
}

interface Vectors extends Place {
  readonly space: number
  vectors: number
  /** Null where the server does not add vectors up. */
  readonly total: Float64Array | null
}

export interface CountStatement {
  readonly text: string
  readonly values: readonly unknown[]
}

const placeKey = ({ scope, status }: Place) => `${scope} ${status}`
const placeColumns = (groups: readonly Place[]) => [
  groups.map(({ owner }) => owner),
  groups.map(({ scope }) => scope),
  groups.map(({ status }) => status),
]

/** In one order, so that two writers never wait for each other. */
function sorted<G extends Place>(groups: Iterable<G>, then: (a: G, b: G) => number = () => 0): G[] {
  return [...groups].sort((a, b) => a.scope - b.scope || a.status - b.status || then(a, b))
}

/** What a transaction adds to the counts, and takes from them. Records that can expire are in none. */
export class Counts {
  readonly #totals = new Map<string, Totals>()
  readonly #tokens = new Map<string, Group<number>>()
  readonly #actors = new Map<string, Group<{ readonly name: string; readonly role: number }>>()
  readonly #vectors = new Map<string, Vectors>()

  add(row: Searched, sign: 1 | -1): void {
    const { owner, scope, status, terms, length, tokens, actor, space, unit } = row
    if (row.expiresAt !== null) return
    const place = { owner, scope, status }
    const name = placeKey(place)
    let totals = this.#totals.get(name)
    if (totals === undefined) {
      totals = { ...place, documents: 0, lengths: 0, tokenRecords: 0, tokenEntries: 0 }
      this.#totals.set(name, totals)
    }
    if (terms.length > 0) totals.documents += sign
    totals.lengths += sign * length
    if (tokens.length > 0) totals.tokenRecords += sign
    totals.tokenEntries += sign * tokens.length
    for (const token of tokens) addTo(this.#tokens, `${name} ${token}`, place, token, sign)
    if (actor !== null && terms.length > 0)
      addTo(this.#actors, `${name} ${actor.role} ${actor.name}`, place, actor, sign)
    if (space !== null) this.#addVector(place, `${name} ${space}`, space, unit, sign)
  }

  #addVector(place: Place, name: string, space: number, unit: Float32Array | null, sign: 1 | -1): void {
    let group = this.#vectors.get(name)
    if (group === undefined) {
      group = { ...place, space, vectors: 0, total: unit === null ? null : new Float64Array(unit.length) }
      this.#vectors.set(name, group)
    }
    group.vectors += sign
    const { total } = group
    if (unit === null || total === null) return
    for (let i = 0; i < unit.length; i++) total[i]! += sign * unit[i]!
  }

  /** What brings the tables up to date. */
  statements(form: VectorForm): readonly CountStatement[] {
    return [...this.#ofTotals(), ...this.#ofTokens(), ...this.#ofActors(), ...this.#ofVectors(form)]
  }

  #ofTotals(): CountStatement[] {
    const groups = sorted(this.#totals.values()).filter(
      ({ documents, lengths, tokenRecords, tokenEntries }) =>
        documents !== 0 || lengths !== 0 || tokenRecords !== 0 || tokenEntries !== 0,
    )
    if (groups.length === 0) return []
    return [
      {
        text: `INSERT INTO {scope_counts} AS c (owner, scope, status, documents, lengths, token_records, token_entries)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
          ON CONFLICT (scope, status, owner) DO UPDATE SET documents = c.documents + excluded.documents,
          lengths = c.lengths + excluded.lengths, token_records = c.token_records + excluded.token_records,
          token_entries = c.token_entries + excluded.token_entries`,
        values: [
          ...placeColumns(groups),
          groups.map(({ documents }) => documents),
          groups.map(({ lengths }) => lengths),
          groups.map(({ tokenRecords }) => tokenRecords),
          groups.map(({ tokenEntries }) => tokenEntries),
        ],
      },
    ]
  }

  #ofTokens(): CountStatement[] {
    const groups = sorted(this.#tokens.values(), (a, b) => a.key - b.key).filter(({ count }) => count !== 0)
    if (groups.length === 0) return []
    const statements: CountStatement[] = [
      {
        text: `INSERT INTO {token_counts} AS c (owner, scope, status, token, records)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::bigint[])
          ON CONFLICT (token, scope, status, owner) DO UPDATE SET records = c.records + excluded.records`,
        values: [...placeColumns(groups), groups.map(({ key }) => key), groups.map(({ count }) => count)],
      },
    ]
    const fewer = groups.filter(({ count }) => count < 0)
    if (fewer.length > 0) {
      statements.push({
        text: `DELETE FROM {token_counts} c USING unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[]) w(owner, scope, status, token)
          WHERE c.token = w.token AND c.scope = w.scope AND c.status = w.status AND c.owner = w.owner AND c.records = 0`,
        values: [...placeColumns(fewer), fewer.map(({ key }) => key)],
      })
    }
    return statements
  }

  #ofActors(): CountStatement[] {
    const digest = ({ key }: Group<{ readonly name: string; readonly role: number }>) =>
      digestOf(`${key.role} ${JSON.stringify(key.name)}`)
    const groups = sorted(this.#actors.values(), (a, b) => digest(a).compare(digest(b))).filter(
      ({ count }) => count !== 0,
    )
    if (groups.length === 0) return []
    return [
      {
        text: `INSERT INTO {actor_counts} AS c (owner, scope, status, digest, actor, role, records)
          SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::bytea[], $5::text[], $6::int[], $7::bigint[])
          ON CONFLICT (scope, status, digest, owner) DO UPDATE SET records = c.records + excluded.records`,
        values: [
          ...placeColumns(groups),
          groups.map(digest),
          groups.map(({ key }) => JSON.stringify(key.name)),
          groups.map(({ key }) => key.role),
          groups.map(({ count }) => count),
        ],
      },
      ...(groups.some(({ count }) => count < 0)
        ? [
            {
              text: 'DELETE FROM {actor_counts} WHERE scope = ANY ($1::bigint[]) AND records = 0',
              values: [groups.map(({ scope }) => scope)],
            },
          ]
        : []),
    ]
  }

  #ofVectors(form: VectorForm): CountStatement[] {
    const groups = sorted(this.#vectors.values(), (a, b) => a.space - b.space)
    if (groups.length === 0) return []
    const addsUp = form === 'vector'
    const totals = (group: Vectors) =>
      group.total === null ? null : `[${Array.from(group.total, (value) => Math.fround(value)).join(',')}]`
    const total = addsUp ? 'w.total::vector' : 'NULL::bytea'
    return [
      {
        text: `INSERT INTO {vector_counts} AS c (owner, scope, status, space, vectors, total)
          SELECT w.owner, w.scope, w.status, w.space, w.vectors, ${total}
          FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::bigint[], $6::text[])
          w(owner, scope, status, space, vectors, total)
          ON CONFLICT (scope, status, space, owner) DO UPDATE SET vectors = c.vectors + excluded.vectors
          ${addsUp ? ', total = c.total + excluded.total' : ''}`,
        values: [
          ...placeColumns(groups),
          groups.map(({ space }) => space),
          groups.map(({ vectors }) => vectors),
          groups.map(totals),
        ],
      },
      ...(groups.some(({ vectors }) => vectors < 0)
        ? [
            {
              text: 'DELETE FROM {vector_counts} WHERE scope = ANY ($1::bigint[]) AND vectors = 0',
              values: [groups.map(({ scope }) => scope)],
            },
          ]
        : []),
    ]
  }
}

function addTo<Value>(groups: Map<string, Group<Value>>, name: string, place: Place, key: Value, sign: 1 | -1): void {
  const group = groups.get(name)
  if (group === undefined) groups.set(name, { ...place, key, count: sign })
  else group.count += sign
}

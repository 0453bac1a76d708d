import { SetupError } from '../../errors/index.ts'
import type { Call, Database, Query } from './database.ts'
import { encodeName } from './names.ts'
import type { KnownScopes, NearIndexes, VectorForm } from './search/index.ts'

/** An open store. */
export interface Session {
  readonly database: Database
  readonly schema: string
  readonly partitions: number
  /** Of the tables. */
  readonly version: number
  /** Random, made with the tables: tells its cursors and locks from another store's. */
  readonly identity: string
  /** Goes into the hashes of erased ids. */
  readonly salt: string
  readonly secret: string
  /** Added to the number of a database transaction, it is a place in the log. */
  readonly base: number
  /** Number of the lock that every commit takes, shared. */
  readonly storeLock: number
  readonly numbers: Numbers
  /** How vectors are handed to the server. */
  readonly form: VectorForm
  /** What finds the nearest of many vectors. */
  readonly near: NearIndexes
  /** Which scopes filters let through, as far as they were asked for. */
  readonly scopes: KnownScopes
  /** Numbers of spaces that searches met, by dimensions and name. */
  readonly spaces: Map<string, number>
}

/** Numbers that stand for names of embedders and analysers in rows; a name keeps its number for good. */
export interface Numbers {
  space(name: string, dimensions: number): number
  analyser(name: string): number
  /** Finds or makes numbers, so that the others find them. */
  prepare(call: Call, names: NamesInUse): Promise<void>
}

export interface NamesInUse {
  readonly spaces: readonly { readonly name: string; readonly dimensions: number }[]
  readonly analysers: readonly string[]
}

function unknown(what: string): never {
  throw new SetupError({ code: 'BAD_CONFIG', message: `postgres store: a number of ${what} was not prepared.` })
}

export function createNumbers(database: Database): Numbers {
  const spaces = new Map<string, number>()
  const analysers = new Map<string, number>()
  const spaceKey = (name: string, dimensions: number) => `${dimensions} ${name}`

  async function find(query: Query, names: string[], sizes: number[], labels: string[]): Promise<void> {
    const [found, named] = await Promise.all([
      query(
        'SELECT s.id, s.name, s.dimensions, w.n FROM unnest($1::text[], $2::int[]) WITH ORDINALITY w(name, dimensions, n) JOIN {spaces} s USING (name, dimensions)',
        [names.map(encodeName), sizes],
      ),
      query('SELECT s.id, w.n FROM unnest($1::text[]) WITH ORDINALITY w(name, n) JOIN {analysers} s USING (name)', [
        labels.map(encodeName),
      ]),
    ])
    for (const row of found) {
      const place = (row.n as number) - 1
      spaces.set(spaceKey(names[place] as string, sizes[place] as number), row.id as number)
    }
    for (const row of named) analysers.set(labels[(row.n as number) - 1] as string, row.id as number)
  }

  return {
    space: (name, dimensions) => spaces.get(spaceKey(name, dimensions)) ?? unknown('a space'),
    analyser: (name) => analysers.get(name) ?? unknown('an analyser'),
    async prepare(call, wanted) {
      const newSpaces = wanted.spaces.filter(({ name, dimensions }) => !spaces.has(spaceKey(name, dimensions)))
      const labels = wanted.analysers.filter((name) => !analysers.has(name))
      if (newSpaces.length + labels.length === 0) return
      const names = newSpaces.map(({ name }) => name)
      const sizes = newSpaces.map(({ dimensions }) => dimensions)
      await database.transaction(call, 'read', (query) => find(query, names, sizes, labels))
      const missing =
        names.some((name, i) => !spaces.has(spaceKey(name, sizes[i] as number))) ||
        labels.some((name) => !analysers.has(name))
      if (!missing) return
      // A transaction of its own: what is made here is kept by all, whatever becomes of the commit that needs it.
      await database.transaction(call, 'write', async (query) => {
        await Promise.all([
          query(
            'INSERT INTO {spaces} (name, dimensions) SELECT DISTINCT name, dimensions FROM unnest($1::text[], $2::int[]) w(name, dimensions) ORDER BY name, dimensions ON CONFLICT DO NOTHING',
            [names.map(encodeName), sizes],
          ),
          query(
            'INSERT INTO {analysers} (name) SELECT DISTINCT name FROM unnest($1::text[]) w(name) ORDER BY name ON CONFLICT DO NOTHING',
            [labels.map(encodeName)],
          ),
        ])
      })
      await database.transaction(call, 'read', (query) => find(query, names, sizes, labels))
    },
  }
}

import type { Database, Query } from '../database.ts'

/** Longest vectors that an index of halves takes. */
const longest = 4000
/** So many vectors are compared in some milliseconds, and an index through which a filter lets little takes longer. */
const usuallyWhole = 30_000
/** Of a million texts the usual 16 neighbours and 64 candidates leave too many of the nearest out of reach. */
const graph = 'WITH (m = 32, ef_construction = 128)'
/** How long after a failure it is not tried again, milliseconds. */
const patience = 600_000

/** The index of a space for finding its nearest vectors, which is made when there are many. */
export interface NearIndexes {
  /** Up to so many visible vectors all are compared. */
  readonly comparedWhole: number
  /** False while it is not there: then all vectors are compared. Asking for it has it made by and by. */
  isReady(query: Query, space: number, dimensions: number): Promise<boolean>
  /** Resolves when none is being made any more. */
  settled(): Promise<void>
  /** Leaves what is being made to the server. */
  stop(): void
}

/** The tables with vectors, partitions one by one; whether each has its index, and whether somebody is making it. */
const state = `SELECT c.relname AS part, COALESCE(x.indisvalid AND x.indisready, false) AS ready,
  EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.relid = c.oid) AS busy
  FROM pg_class t JOIN pg_class c ON c.oid = t.oid OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = t.oid)
  LEFT JOIN pg_class i ON i.relname = c.relname || '_near_' || $1 AND i.relnamespace = c.relnamespace
  LEFT JOIN pg_index x ON x.indexrelid = i.oid
  WHERE t.oid = '{units}'::regclass AND c.relkind = 'r'`

/** Statements that make the index of a space in a table of units, while others write. */
function nearIndexSql(part: string, space: number, dimensions: number): readonly string[] {
  const name = `${part}_near_${space}`
  return [
    // One that was broken off on the way.
    `DROP INDEX CONCURRENTLY IF EXISTS {${name}}`,
    `CREATE INDEX CONCURRENTLY "${name}" ON {${part}} USING hnsw ((unit::halfvec(${dimensions})) halfvec_ip_ops) ${graph} WHERE space = ${space}`,
  ]
}

/** Where an index can't be made, by want of rights or room, all vectors are compared: slower, and right. */
export function createNearIndexes(database: Pick<Database, 'alone'>, comparedWhole = usuallyWhole): NearIndexes {
  const stopped = new AbortController()
  const ready = new Set<number>()
  const making = new Map<number, Promise<void>>()
  const failed = new Map<number, number>()

  async function make(parts: readonly string[], space: number, dimensions: number): Promise<void> {
    const call = { operation: 'vectors.index', signal: stopped.signal, long: true }
    try {
      for (const part of parts)
        for (const text of nearIndexSql(part, space, dimensions)) await database.alone(call, text)
    } catch {
      failed.set(space, Date.now())
    } finally {
      making.delete(space)
    }
  }

  return {
    comparedWhole,
    async isReady(query, space, dimensions) {
      if (ready.has(space)) return true
      if (dimensions > longest || making.has(space) || stopped.signal.aborted) return false
      const rows = await query(state, [String(space)])
      const missing = rows.filter((row) => row.ready !== true).map((row) => row.part as string)
      if (missing.length === 0) {
        ready.add(space)
        return true
      }
      const isSoon = Date.now() - (failed.get(space) ?? 0) < patience
      if (!isSoon && !rows.some((row) => row.busy === true)) making.set(space, make(missing, space, dimensions))
      return false
    },
    async settled() {
      await Promise.all(making.values())
    },
    stop() {
      stopped.abort()
    },
  }
}

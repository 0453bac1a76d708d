import { brokenJournalLine, type JournalEntry, type StoreProblem } from '../../contract/index.ts'
import { allScopes, equalJson, type MemoryRecord } from '../../model/index.ts'
import { decodeJson } from './codec.ts'
import type { Call, Row, Run } from './connection.ts'
import { ownersSeen } from './scope-conditions.ts'
import { reading, type Session } from './session.ts'
import { claimId, number } from './tokens.ts'

/** Nodes looked at per question. */
const page = 500

/** Pages of a query that orders by `key` and takes those above `$after`. */
async function* pages(run: Run, text: string, parameters: Record<string, unknown>): AsyncGenerator<Row> {
  for (let after: unknown = ''; ; ) {
    const rows = await run(`${text} LIMIT $page`, { ...parameters, after, page: number(page) })
    yield* rows
    if (rows.length < page) return
    after = rows.at(-1)?.key
  }
}

/** Access counts move without a version, so they are not compared. */
function comparable(record: unknown): unknown {
  if (record === null) return null
  const { accessCount: _, lastAccessedAt: __, ...rest } = decodeJson<MemoryRecord>(record)
  return rest
}

function checkRecord({ partition }: Session, row: Row): StoreProblem[] {
  const id = row.id as string
  const problems: StoreProblem[] = []
  const versions = row.versions as readonly Row[]
  const last = [...versions].sort((a, b) => (b.version as number) - (a.version as number))[0]
  if (
    last === undefined ||
    last.version !== row.version ||
    new Set(versions.map(({ version }) => version)).size < versions.length
  )
    problems.push({
      code: 'REVISION_ORDER',
      id,
      message: 'its revisions do not end with its version, or one is there twice',
    })
  const same =
    equalJson(comparable(row.record), comparable(last?.record ?? null)) &&
    (row.analysis ?? null) === (last?.analysis ?? null) &&
    (row.space ?? null) === (last?.space ?? null)
  if (!same) problems.push({ code: 'RECORD_MISMATCH', id, message: 'the record is not what its last revision says' })
  if (row.record !== null) {
    const { kind, scope, key, status } = decodeJson<MemoryRecord>(row.record)
    const claim = status === 'live' && key !== undefined ? claimId(partition, 'key', scope, kind, key) : null
    if (claim !== row.claim)
      problems.push({ code: 'CLAIM_MISMATCH', id, message: 'the key it holds is not the one that it has' })
  }
  return problems
}

async function checkJournal(run: Run, store: string): Promise<StoreProblem[]> {
  const rows = await run(
    'MATCH (j:MnemeJournal) WHERE j.store = $store RETURN j.line AS line ORDER BY j.owner, j.seq',
    { store },
  )
  const broken = brokenJournalLine(rows.map(({ line }) => decodeJson<JournalEntry>(line)))
  return broken
    ? [{ code: 'JOURNAL_BROKEN', message: `journal line ${broken.seq} does not follow the one before` }]
    : []
}

/** Compares what is kept twice. Empty when all is well. Writers wait meanwhile. */
export function verify(session: Session, call: Call): Promise<StoreProblem[]> {
  const { store } = session.partition
  return reading(session, call, ownersSeen(allScopes(), session.partition), async (run) => {
    const problems: StoreProblem[] = []
    const records = pages(
      run,
      `MATCH (m:MnemeId) WHERE m.store = $store AND m.uid > $after WITH m ORDER BY m.uid LIMIT $page
OPTIONAL MATCH (m)-[:REVISION]->(r:MnemeRevision)
RETURN m.uid AS key, m.id AS id, m.version AS version, m.record AS record, m.analysis AS analysis, m.space AS space, m.keyClaim AS claim,
collect({version: r.version, record: r.record, analysis: r.analysis, space: r.space}) AS versions ORDER BY key`,
      { store },
    )
    for await (const row of records) problems.push(...checkRecord(session, row))
    const broken = await run(
      'MATCH (a:MnemeId)-[l:LINK]->(b:MnemeId) WHERE a.store = $store AND NOT (a:Memory AND b:Memory) RETURN a.id AS id',
      { store },
    )
    for (const { id } of broken)
      problems.push({
        code: 'LINK_BROKEN',
        id: id as string,
        message: 'a link leads from or to a record that is not there',
      })
    const twice = await run(
      'MATCH (t:MnemeTransaction) WHERE t.store = $store AND t.position IS NOT NULL WITH t.position AS position, count(*) AS count WHERE count > 1 RETURN position',
      { store },
    )
    if (twice.length > 0) problems.push({ code: 'LOG_ORDER', message: 'two transactions have one place in the log' })
    const homeless = await run(
      'MATCH (m:MnemeId)-[:REVISION]->(r:MnemeRevision) WHERE m.store = $store AND NOT (r)<-[:CHANGED]-(:MnemeTransaction) RETURN DISTINCT m.id AS id',
      { store },
    )
    for (const { id } of homeless)
      problems.push({
        code: 'LOG_MISMATCH',
        id: id as string,
        message: 'its history has a version that the log has not',
      })
    problems.push(...(await checkJournal(run, store)))
    return problems
  })
}

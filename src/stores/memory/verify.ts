import { brokenJournalLine, type StoredRecord, type StoreProblem } from '../../contract/index.ts'
import { equalJson } from '../../model/index.ts'
import { claimsOf, type Head, lastVersion, type State } from './state.ts'

/** Access counts move without a version, so they are not compared. */
function comparable(stored: StoredRecord | null): unknown {
  if (stored === null) return null
  const { accessCount: _, lastAccessedAt: __, ...record } = stored.record
  return { record, analysis: stored.analysis, vector: stored.vector && [...stored.vector.values] }
}

function checkHead(head: Head): StoreProblem[] {
  const problems: StoreProblem[] = []
  const { id } = head
  const ascending = head.versions.every((version, i) => version.version > (head.versions[i - 1]?.version ?? 0))
  if (!ascending) problems.push({ code: 'REVISION_ORDER', id, message: 'its revisions are not in order of version' })
  if (!equalJson(comparable(head.current), comparable(lastVersion(head).stored))) {
    problems.push({ code: 'RECORD_MISMATCH', id, message: 'the record is not what its last revision says' })
  }
  return problems
}

/** Compares what is kept twice. Empty when all is well. */
export function verify(state: State): StoreProblem[] {
  const problems = [...state.heads.values()].flatMap(checkHead)
  const claims = new Set(
    [...state.heads.values()].flatMap((head) => claimsOf(head).map((claim) => `${claim} ${head.id}`)),
  )
  const kept = [...state.claims].flatMap(([claim, heads]) => [...heads].map(({ id }) => `${claim} ${id}`))
  if (kept.length !== claims.size || !kept.every((claim) => claims.has(claim))) {
    problems.push({
      code: 'CLAIM_MISMATCH',
      message: 'keys or digests are held by other records than those that have them',
    })
  }
  for (const { from, to } of state.links.values()) {
    for (const id of [from, to]) {
      if (!state.heads.get(id)?.current) {
        problems.push({ code: 'LINK_BROKEN', id, message: 'a link leads to a record that is not there' })
      }
    }
  }
  for (const lines of state.chains.values()) {
    const broken = brokenJournalLine(lines)
    if (broken)
      problems.push({ code: 'JOURNAL_BROKEN', message: `journal line ${broken.seq} does not follow the one before` })
  }
  state.log.forEach((entry, i) => {
    if (entry.position <= (state.log[i - 1]?.position ?? 0)) {
      problems.push({ code: 'LOG_ORDER', id: entry.id, message: 'the transaction is out of order in the log' })
    }
    for (const change of entry.changes) {
      if (change.type === 'put' && !state.heads.get(change.head.id)?.versions.includes(change.version)) {
        problems.push({
          code: 'LOG_MISMATCH',
          id: change.head.id,
          message: 'the log has a version that its history has not',
        })
      }
    }
  })
  return problems
}

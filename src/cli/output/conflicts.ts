import type { Conflict, ConflictEvidence, ConflictListResult, ResolveResult } from '../../engine/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bad, bold, type Cell, dim, good, type Line, line, table } from './lines.ts'
import { listNotes } from './list-notes.ts'
import { day, distinctScopes, scopeText } from './records.ts'
import { type Written, written } from './written.ts'

function sourceOf({ source, actor, ref, message }: ConflictEvidence): string {
  return [source, actor, ref, message].filter((part) => part !== undefined).join(', ')
}

/** A side in rows: what it says and how far it is trusted, then what speaks for it. */
function sideRows(name: string, record: MemoryRecord, evidence: readonly ConflictEvidence[]): Cell[][] {
  const [own] = evidence
  const said = own === undefined ? '' : day(own.at)
  const rows: Cell[][] = [[bold(name), said, record.content, dim(`${record.trust}, ${record.id}`)]]
  for (const one of evidence) {
    const words = one.quote === undefined ? '' : `"${one.quote}"`
    rows.push(['', dim(day(one.at)), words, dim(sourceOf(one))])
  }
  return rows
}

function conflictLines(conflict: Conflict, showScope: boolean): Line[] {
  const { id, why, createdAt, first, second, evidence, scope } = conflict
  const where: Cell[] = showScope ? ['  ', scopeText(scope)] : []
  return [
    line(bad(day(createdAt)), '  ', bold(id), ...where, '  ', why),
    ...table([...sideRows('first', first, evidence.first), ...sideRows('second', second, evidence.second)]).map(
      ({ cells }) => line('  ', ...cells),
    ),
  ]
}

/** Both sides of each, one under the other, with dates and what speaks for them. */
export function conflictList({ conflicts, nextCursor }: ConflictListResult, { options }: Asked): Rendering {
  const showScope = options.allScopes === true || distinctScopes(conflicts) > 1
  return {
    lines: conflicts.flatMap((conflict) => conflictLines(conflict, showScope)),
    notes: listNotes(conflicts, 'No open contradictions here.', nextCursor),
  }
}

function stands(name: string, { status, id }: MemoryRecord): Cell[] {
  return ['  ', name, ' ', status === 'live' ? good(status) : dim(status), ' ', id]
}

export function conflictResolved(answer: Written<ResolveResult>, asked: Asked): Rendering {
  const { resolution, first, second, merged } = answer
  return written(answer, asked, [
    line(
      good(resolution === 'merged' ? 'merged' : `kept ${resolution}`),
      ...stands('first', first),
      ...stands('second', second),
      ...(merged ? stands('merged', merged) : []),
    ),
  ])
}

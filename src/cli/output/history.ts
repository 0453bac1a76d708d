import type { Change, Revision } from '../../model/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bold, dim, type Line, line } from './lines.ts'
import { txCells } from './plan.ts'
import { distinctScopes, moment, noSuchMemory, scopeText } from './records.ts'

/** Other memories of a version's chain: what took its place, or what it took the place of. */
function chainOf({ version, op, record }: Revision): { readonly words: string; readonly id: string }[] {
  if (op === 'supersede' && record?.supersededBy) return [{ words: 'superseded by', id: record.supersededBy }]
  // Said once: every later version names it too.
  if (version === 1 && record?.supersedes) return [{ words: 'in place of', id: record.supersedes }]
  return []
}

/** Ids of the memories that a history names and does not hold. */
export function idsInHistory(revisions: readonly Revision[]): string[] {
  return [...new Set(revisions.flatMap((revision) => chainOf(revision).map(({ id }) => id)))]
}

function revisionLines(revision: Revision, { records }: Asked): Line[] {
  const { version, at, op, actor, reason, tx, record } = revision
  const by = actor === undefined ? [] : [`  by ${actor}`]
  const because = reason === undefined ? [] : [`  (${reason})`]
  return [
    line(bold(`v${version}`), `  ${moment(at)}  `, op, ...by, ...because, ...txCells(tx)),
    line('      ', record === null ? dim('(nothing of its content is left)') : record.content),
    ...chainOf(revision).map(({ words, id }) => {
      const other = records.get(id)
      return line(
        '      ',
        `${words} ${id}`,
        other === undefined ? dim(' (gone, or not in this scope)') : `: ${other.content}`,
      )
    }),
  ]
}

/** Every version, and the memories that took its place or gave way to it. */
export function history(revisions: readonly Revision[], asked: Asked): Rendering {
  return {
    lines: revisions.flatMap((revision) => revisionLines(revision, asked)),
    notes: revisions.length === 0 ? [noSuchMemory] : [],
  }
}

/** A change in one line. */
export function changeLine({ at, op, id, kind, version, scope, record }: Change, showScope: boolean): Line {
  const where = showScope ? [`${scopeText(scope)}  `] : []
  const content = record?.content ?? dim('(gone)')
  return line(moment(at), '  ', op.padEnd(10), '  ', dim(id), `  v${version}  ${kind}  `, ...where, content)
}

interface Changes {
  readonly changes: readonly Change[]
  readonly cursor: string
}

export function changes({ changes: found, cursor }: Changes, { options, more }: Asked): Rendering {
  const showScope = options.allScopes === true || distinctScopes(found) > 1
  return {
    lines: found.map((change) => changeLine(change, showScope)),
    notes: [
      ...(found.length === 0 ? ['Nothing changed.'] : []),
      // Programs have the cursor in json, also when nothing is left to read.
      ...(more ? [`There is more: repeat with --after ${cursor}`] : []),
    ],
  }
}

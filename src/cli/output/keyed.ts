import type { KvEntry, KvListResult, KvNamespacesResult, KvPutResult } from '../../engine/index.ts'
import type { JsonValue, Scope } from '../../model/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { type Cell, dim, good, line, wholeLine } from './lines.ts'
import { moment, scopeText } from './records.ts'
import { type Written, written } from './written.ts'

const noSuchKey = 'No such key in this scope. Check the key, the namespace and the scope.'

/** A text as it is, everything else as JSON. */
function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Notes of a list that may go on. */
export function listNotes(found: readonly unknown[], nothing: string, nextCursor: string | undefined): string[] {
  return [
    ...(found.length === 0 ? [nothing] : []),
    ...(nextCursor === undefined ? [] : [`There is more: repeat with --cursor ${nextCursor}`]),
  ]
}

export function kvPut(answer: Written<KvPutResult>, asked: Asked): Rendering {
  return written(answer, asked, [
    line(good(answer.outcome), '  ', answer.record.key ?? '', `  version ${answer.version}`),
  ])
}

function until(expiresAt: string | undefined): Cell[] {
  return expiresAt === undefined ? [] : [dim(`  until ${moment(expiresAt)}`)]
}

export function kvGet(entry: KvEntry | null): Rendering {
  return entry === null ? { lines: [], notes: [noSuchKey] } : { lines: [wholeLine(valueText(entry.value))] }
}

export function kvDelete(answer: Written<{ readonly deleted: number }>, asked: Asked): Rendering {
  if (answer.deleted === 0) return { lines: [], notes: [noSuchKey] }
  return written(answer, asked, [line(good('deleted'))])
}

export function kvList({ entries, nextCursor }: KvListResult, { options }: Asked): Rendering {
  const several = options.allScopes === true || new Set(entries.map(({ scope }) => scopeText(scope))).size > 1
  const where = (scope: Scope): Cell[] => (several ? [dim(`  ${scopeText(scope)}`)] : [])
  return {
    lines: entries.map(({ namespace, key, value, expiresAt, scope }) =>
      line(dim([...namespace, ''].join('/')), key, '  ', valueText(value), ...until(expiresAt), ...where(scope)),
    ),
    notes: listNotes(entries, 'No entries here.', nextCursor),
  }
}

export function kvNamespaces({ namespaces, nextCursor }: KvNamespacesResult): Rendering {
  return {
    lines: namespaces.map((namespace) => line(JSON.stringify(namespace))),
    notes: listNotes(namespaces, 'No entries here.', nextCursor),
  }
}

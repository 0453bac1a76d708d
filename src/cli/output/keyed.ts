import type {
  Fact,
  FactListResult,
  FactSetResult,
  FactVersion,
  KvEntry,
  KvListResult,
  KvNamespacesResult,
  KvPutResult,
} from '../../engine/index.ts'
import type { JsonValue, Scope, Source } from '../../model/index.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bad, bold, type Cell, dim, good, line, table, wholeLine } from './lines.ts'
import { listNotes } from './list-notes.ts'
import { moment, scopeText } from './records.ts'
import { contradicted, type Written, written } from './written.ts'

const noSuchKey = 'No such key in this scope. Check the key and the scope.'

/** A text as it is, everything else as JSON. */
function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
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

export function keyDelete(answer: Written<{ readonly deleted: number }>, asked: Asked): Rendering {
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

export function factSet(answer: Written<FactSetResult>, asked: Asked): Rendering {
  const { outcome, record, conflict, quarantined } = answer
  if (conflict !== undefined && quarantined) return contradicted(answer, asked, conflict, quarantined.id)
  const said = outcome === 'kept' ? bad('kept') : good(outcome)
  const why = outcome === 'kept' ? `  the present value is more certain: ${record.confidence}` : ''
  return written(answer, asked, [line(said, '  ', record.key ?? '', `  version ${record.version}`, why)])
}

/** Of a fact that says null there is nothing to tell apart from one that is not there. */
export function factValue(value: JsonValue): Rendering {
  return value === null ? { lines: [], notes: [noSuchKey] } : { lines: [wholeLine(valueText(value))] }
}

function sourceText({ type, ref, actor }: Source): string {
  return [type, actor, ref].filter((part) => part !== undefined).join(', ')
}

export function factEntry(fact: Fact | null): Rendering {
  if (fact === null) return { lines: [], notes: [noSuchKey] }
  const fields: [string, string][] = [
    ['value', valueText(fact.value)],
    ['confidence', String(fact.confidence)],
    ['source', sourceText(fact.source)],
    ['version', String(fact.version)],
    ['updated', moment(fact.updatedAt)],
    ['id', fact.id],
  ]
  return { lines: [line(bold(fact.key)), ...table(fields.map(([name, text]) => [dim(name), text]))] }
}

export function factList({ entries, nextCursor }: FactListResult): Rendering {
  const several = new Set(entries.map(({ scope }) => scope && scopeText(scope))).size > 1
  return {
    lines: entries.map(({ key, value, scope }) =>
      line(bold(key), '  ', valueText(value), ...(several && scope ? [dim(`  ${scopeText(scope)}`)] : [])),
    ),
    notes: listNotes(entries, 'No facts here.', nextCursor),
  }
}

export function factHistory(versions: readonly FactVersion[]): Rendering {
  return {
    lines: table(
      versions.map(({ version, updatedAt, status, value }) => [
        bold(`v${version}`),
        moment(updatedAt),
        status === 'live' ? good(status) : dim(status),
        valueText(value),
      ]),
    ),
    notes: versions.length === 0 ? [noSuchKey] : [],
  }
}

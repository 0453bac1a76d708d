import type { JournalEntry, LoggedChange, LoggedTransaction, StoreChange, Transaction } from '../../contract/index.ts'

type LoggedPut = Extract<LoggedChange, { readonly type: 'put' }>

/** Stands for a version whose content a later remove of the log took away, and takes away here too. It holds no key and is found by nothing. */
function placeholder({ id, kind, scope, version, op }: LoggedPut): StoreChange {
  return {
    type: 'put',
    op,
    record: {
      id,
      kind,
      content: '',
      scope,
      tags: [],
      metadata: {},
      importance: 0,
      confidence: 0,
      reliability: 0,
      source: { type: 'system' },
      trust: 'untrusted',
      accessCount: 0,
      pinned: false,
      status: 'archived',
      version,
    },
    hash: null,
    analysis: { analyser: 'none', terms: [], tokens: [], shape: 0 },
    vector: null,
  }
}

function copied(change: LoggedChange): StoreChange[] {
  switch (change.type) {
    case 'put': {
      if (change.stored === null) return [placeholder(change)]
      const { op, hash, stored } = change
      const { record, analysis, vector } = stored
      return [{ type: 'put', op, record, hash, analysis, vector }]
    }
    case 'remove':
      // The hash of an erased id is made with the source's secret: here it would name nothing.
      return change.op === 'erase' ? [] : [{ type: 'remove', op: change.op, id: change.id }]
    case 'link':
      return [{ type: 'link', link: change.link }]
    case 'unlink':
      return [{ type: 'unlink', from: change.link.from, to: change.link.to, linkType: change.link.type }]
  }
}

export function journalChange({ op, verb, actor, reason, ids, scope }: JournalEntry): StoreChange {
  const who = { ...(actor === undefined ? {} : { actor }), ...(reason === undefined ? {} : { reason }) }
  return { type: 'journal', line: { op, verb, ...who, ids, scope } }
}

/** The transaction that makes of another store what the logged one made of its own. */
export function copiedTransaction(entry: LoggedTransaction, lines: readonly JournalEntry[]): Transaction {
  const { id, at, verb, actor, reason, result } = entry
  return {
    id,
    at,
    verb,
    actor,
    reason,
    result,
    requires: [],
    changes: [...entry.changes.flatMap(copied), ...lines.map(journalChange)],
  }
}

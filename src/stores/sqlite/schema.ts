/** `mnem` in ASCII, in the header of every file of ours. */
export const applicationId = 0x6d6e656d
/** The version that this code reads and writes; kept as `user_version`. */
export const schemaVersion = 2

/**
 * Every row of the log has one number, which is its order: a transaction has `transaction * changesPerTransaction`, its
 * changes have the numbers after that.
 */
export const changesPerTransaction = 2 ** 20

/** The version of a row of the log that is a transaction; those of records begin at 1. */
export const transactionVersion = -1

/** Number of the log row of a transaction. */
export function transactionRow(seq: number): number {
  return seq * changesPerTransaction
}

/** Number of a change. @param place 0, 1, 2 … in the transaction */
export function changeRow(seq: number, place: number): number {
  return seq * changesPerTransaction + 1 + place
}

export function transactionOf(row: number): number {
  return Math.floor(row / changesPerTransaction)
}

/** The same in SQL: the number of the transaction's row for the number of any row of it. */
export function transactionRowOf(column: string): string {
  return `${column} / ${changesPerTransaction} * ${changesPerTransaction}`
}

/** Condition on `log`: the last version of an id, tombstones included. @param id an SQL expression */
export function lastVersionOf(id: string): string {
  return `(SELECT rev FROM log INDEXED BY log_id WHERE id = ${id} AND version > 0 ORDER BY version DESC LIMIT 1)`
}

/**
 * The current state (`records`, `links`) beside the log: `log` holds each transaction and, after it, its revisions of
 * records; `link_log` its changes of links.
 *
 * - A durable commit costs as many pages as it touches B-trees, hence few of them: ids of transactions and of records,
 *   which are made in order of time, end in the same page of `log_id`, transactions and contents in the same page of
 *   `log`, and `records` has no index of ids, as `log_id` tells where each is.
 * - `records` is clustered by scope and age, so that other orders of a scope sort one stretch of it. `log_id` covers walks
 *   through the past, which thereby never touch contents.
 * - `hash_code` is a number made of the hash, below 0 where the revision is not the current one: each hash lands in a random
 *   page of its index, which therefore is to be small.
 * - Rows of `log` and `late_vectors` never move and never change their size: SQLite leaves copies of what it moves in
 *   unused parts of pages, where a later delete would not find them. What is removed is overwritten in place by as many
 *   zeros (see `emptied.ts`); a vector that comes late gets a row of its own. `meta` counts the bytes to be won back.
 * - Free text lives inside JSON, which spells NUL and lone surrogates in ASCII: as bare text they would not come back.
 * - A `gone` revision is a tombstone, a `gone` transaction one that an erase took out of the log. A revision whose
 *   `record` is no JSON was emptied by a later remove.
 * - Records that wait for a vector have an index of their own, `records_waiting`, from the first vector on: before it all wait,
 *   and a page less is written with each.
 * - `mentions` finds the records that name another in `supersedes`, `supersededBy` or `source.from`.
 * - What points into `log` or from its scopes is not declared as REFERENCES, which would search whole tables at a
 *   delete; `verify` checks it.
 */
export const schema = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE owners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  last_at INTEGER NOT NULL,
  journal_seq INTEGER NOT NULL DEFAULT 0,
  journal_digest TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE scopes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  owner INTEGER NOT NULL REFERENCES owners
) STRICT;
CREATE INDEX scopes_owner ON scopes (owner);

CREATE TABLE spaces (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  UNIQUE (name, dimensions)
) STRICT;

CREATE TABLE analysers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE log (
  rev INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  gone INTEGER NOT NULL,
  scope INTEGER,
  created_at INTEGER,
  kind TEXT,
  op TEXT,
  hash TEXT,
  hash_code INTEGER,
  analyser INTEGER REFERENCES analysers,
  space INTEGER REFERENCES spaces,
  facts BLOB,
  at INTEGER,
  head TEXT,
  result TEXT,
  record TEXT,
  terms TEXT,
  tokens BLOB,
  vector BLOB
) STRICT;
CREATE INDEX log_id ON log (id, version, gone, scope, created_at);
CREATE INDEX log_hash ON log (hash_code) WHERE hash_code > 0;
CREATE INDEX log_result ON log (rev) WHERE result IS NOT NULL;

CREATE TABLE late_vectors (
  number INTEGER PRIMARY KEY,
  rev INTEGER NOT NULL,
  space INTEGER NOT NULL REFERENCES spaces,
  vector BLOB NOT NULL
) STRICT;
CREATE INDEX late_vectors_rev ON late_vectors (rev);

CREATE TABLE records (
  scope INTEGER NOT NULL REFERENCES scopes,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  rev INTEGER NOT NULL,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  key TEXT,
  updated_at INTEGER NOT NULL,
  event_at INTEGER NOT NULL,
  expires_at INTEGER,
  importance REAL NOT NULL,
  space INTEGER REFERENCES spaces,
  access_count INTEGER NOT NULL,
  last_accessed_at TEXT,
  PRIMARY KEY (scope, created_at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX records_created ON records (created_at, id);
CREATE INDEX records_key ON records (key, scope, kind) WHERE key IS NOT NULL;

CREATE TABLE mentions (
  id TEXT NOT NULL,
  rev INTEGER NOT NULL,
  PRIMARY KEY (rev, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_id ON mentions (id);

CREATE TABLE links (
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (from_id, to_id, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_to ON links (to_id);

CREATE TABLE link_log (
  change INTEGER PRIMARY KEY,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  type TEXT NOT NULL,
  body TEXT,
  previous TEXT,
  scope INTEGER NOT NULL REFERENCES scopes
) STRICT;
CREATE INDEX link_log_from ON link_log (from_id, to_id, type);
CREATE INDEX link_log_to ON link_log (to_id);

CREATE TABLE journal (
  owner INTEGER NOT NULL REFERENCES owners,
  seq INTEGER NOT NULL,
  tx INTEGER NOT NULL,
  at INTEGER NOT NULL,
  scope INTEGER NOT NULL REFERENCES scopes,
  line TEXT NOT NULL,
  ids TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (owner, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  scope INTEGER NOT NULL REFERENCES scopes,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  tx INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);
CREATE INDEX idempotency_tx ON idempotency (tx);
`

/** Older files have it from the beginning. */
export const waitingIndex = 'CREATE INDEX IF NOT EXISTS records_waiting ON records (created_at, id) WHERE space IS NULL'

/** True of every pinned record: what `log_pinned` is for and what a query for it has to say word for word. */
export const mayBePinned = `instr(v.record, '"pinned":true') > 0`

/** Version 2: what is pinned is found without reading a scope. */
export const pinnedIndex = `CREATE INDEX log_pinned ON log (scope, created_at, id, rev) WHERE instr(record, '"pinned":true') > 0`

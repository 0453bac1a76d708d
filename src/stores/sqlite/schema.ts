/** `mnem` in ASCII, in the header of every file of ours. */
export const applicationId = 0x6d6e656d
/** The version that this code reads and writes; kept as `user_version`. */
export const schemaVersion = 2

/** Every change has one number, `transaction * changesPerTransaction + place`: the log's order without a second column. */
export const changesPerTransaction = 2 ** 20

/**
 * The current state (`records`, `links`) beside the log (`transactions` with their `revisions` and `link_log`).
 *
 * - A durable commit costs as many pages as it touches B-trees, hence few indexes: `records` is clustered by scope and
 *   age, so that other orders of a scope sort one stretch of it; `revisions_id` covers walks through the past, which
 *   thereby never touch contents.
 * - Free text lives inside JSON, which spells NUL and lone surrogates in ASCII: as bare text they would not come back.
 * - A `gone` revision is a tombstone, a `gone` transaction one that an erase took out of the log. A revision without
 *   `record` was emptied by a later remove.
 * - `mentions` finds the records that name another in `supersedes`, `supersededBy` or `source.from`.
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

CREATE TABLE transactions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  head TEXT NOT NULL,
  result TEXT,
  gone INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE revisions (
  rev INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  gone INTEGER NOT NULL,
  scope INTEGER REFERENCES scopes,
  kind TEXT NOT NULL,
  op TEXT NOT NULL,
  hash TEXT,
  shape INTEGER,
  analyser INTEGER REFERENCES analysers,
  space INTEGER REFERENCES spaces,
  checksum INTEGER,
  record TEXT,
  terms TEXT,
  tokens BLOB,
  vector BLOB
) STRICT;
CREATE INDEX revisions_id ON revisions (id, version, gone, scope);

CREATE TABLE records (
  id TEXT NOT NULL UNIQUE,
  scope INTEGER NOT NULL REFERENCES scopes,
  created_at INTEGER NOT NULL,
  rev INTEGER NOT NULL REFERENCES revisions,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  key TEXT,
  hash TEXT,
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
CREATE INDEX records_hash ON records (hash, scope, kind) WHERE hash IS NOT NULL;

CREATE TABLE mentions (
  id TEXT NOT NULL,
  rev INTEGER NOT NULL REFERENCES revisions,
  PRIMARY KEY (rev, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_id ON mentions (id);

CREATE TABLE links (
  from_id TEXT NOT NULL REFERENCES records (id),
  to_id TEXT NOT NULL REFERENCES records (id),
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
  tx INTEGER NOT NULL REFERENCES transactions,
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
  tx INTEGER NOT NULL REFERENCES transactions,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);
CREATE INDEX idempotency_tx ON idempotency (tx);
`

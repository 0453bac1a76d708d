import { searchTables } from './search/tables.ts'
import { type Parted, partedTable, type TableOptions } from './table.ts'

/**
 * The current state (`records`, `links`) beside the log: `transactions` with their changes, which are `revisions` of records
 * and `link_log`, each with the place of its transaction and its number in it.
 *
 * - Everything big begins its key with `owner`, the number of the application's user it belongs to (0: nobody), so that it
 *   can be parted by it. `ids` says whose an id is; it is written once for an id, and parted by the id.
 * - A `place` in the log is the number of the database's transaction (xid8), plus `2^44` for every time that the tables
 *   were brought into another server, where counting starts anew (`epoch` in `meta`).
 * - A record's content is in its revision; `records` has what lists and searches judge. `num` numbers ids in the order in
 *   which they were first written.
 * - Free text lives inside JSON, which spells NUL and lone surrogates in ASCII: as bare text PostgreSQL refuses them. Names
 *   that are looked up are bare where they can be, see `encodeName`. Collation `C` is the order of code points. Names of any
 *   length are found by a digest of 32 bytes, as an index takes at most some 2,700.
 * - A `gone` revision is a tombstone, of owner 0 and no scope when an erase left it; a `gone` transaction is one that an
 *   erase took out of the log. A revision without `record` that is not gone was emptied by a later remove.
 * - Vectors stand by themselves, as they may come late: nothing else of a revision is written again then.
 * - `lock` is the number of the advisory lock under which an owner's commits are serial.
 * - What points into other tables is not declared as REFERENCES, which would lock rows of what is shared by all; `verify`
 *   checks it.
 */
function tables(options: TableOptions): string[] {
  const parted = (table: Parted) => partedTable(table, options)
  return [
    'CREATE TABLE {derived} (slot integer PRIMARY KEY, count bigint NOT NULL) WITH (fillfactor = 50)',
    'INSERT INTO {derived} SELECT slot, 0 FROM generate_series(0, 63) slot',

    `CREATE TABLE {owners} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      digest bytea NOT NULL UNIQUE,
      key text COLLATE "C" NOT NULL,
      lock bigint NOT NULL,
      last_at bigint NOT NULL,
      journal_seq bigint NOT NULL DEFAULT 0,
      journal_digest text NOT NULL DEFAULT ''
    ) WITH (fillfactor = 70)`,
    `CREATE TABLE {scopes} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      digest bytea NOT NULL UNIQUE,
      key text COLLATE "C" NOT NULL,
      owner bigint NOT NULL,
      app text COLLATE "C",
      usr text COLLATE "C",
      agent text COLLATE "C",
      session text COLLATE "C",
      namespace text[] COLLATE "C" NOT NULL
    )`,
    'CREATE INDEX scopes_owner ON {scopes} (owner)',
    ...['app', 'usr', 'agent', 'session'].map(
      (label) => `CREATE INDEX scopes_${label} ON {scopes} USING hash (${label})`,
    ),
    'CREATE TABLE {spaces} (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL, dimensions integer NOT NULL, UNIQUE (name, dimensions))',
    'CREATE TABLE {analysers} (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE)',

    'CREATE SEQUENCE {record_numbers}',
    ...parted({
      name: 'ids',
      by: 'id',
      columns: 'id text COLLATE "C" PRIMARY KEY, num bigint NOT NULL, owner bigint NOT NULL, scope bigint NOT NULL',
      after: ['CREATE INDEX ids_scope ON {ids} (scope)'],
    }),
    ...parted({
      name: 'transactions',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        place bigint NOT NULL,
        id text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        gone boolean NOT NULL DEFAULT false,
        head text NOT NULL,
        result text,
        PRIMARY KEY (place, owner)`,
      after: ['CREATE INDEX transactions_id ON {transactions} (id)'],
    }),
    ...parted({
      name: 'revisions',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        id text COLLATE "C" NOT NULL,
        version bigint NOT NULL,
        place bigint NOT NULL,
        number integer NOT NULL,
        tx text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        op text NOT NULL,
        kind text COLLATE "C" NOT NULL,
        scope bigint,
        gone boolean NOT NULL,
        hash text COLLATE "C",
        record text,
        analyser integer,
        analysis text,
        PRIMARY KEY (owner, id, version)`,
      after: ['CREATE INDEX revisions_place ON {revisions} (place, number)'],
    }),
    ...parted({
      name: 'vectors',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        id text COLLATE "C" NOT NULL,
        version bigint NOT NULL,
        space integer NOT NULL,
        value bytea NOT NULL,
        PRIMARY KEY (owner, id, version)`,
      after: ['ALTER TABLE {vectors} ALTER COLUMN value SET STORAGE EXTERNAL'],
    }),
    ...parted({
      name: 'records',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        id text COLLATE "C" NOT NULL,
        num bigint NOT NULL,
        scope bigint NOT NULL,
        version bigint NOT NULL,
        kind text COLLATE "C" NOT NULL,
        status text COLLATE "C" NOT NULL,
        key text COLLATE "C",
        hash text COLLATE "C",
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        event_at bigint NOT NULL,
        valid_from bigint,
        valid_to bigint,
        expires_at bigint,
        importance double precision NOT NULL,
        pinned boolean NOT NULL,
        searched boolean NOT NULL,
        space integer,
        access_count bigint NOT NULL,
        last_accessed_at bigint,
        PRIMARY KEY (owner, id)`,
      after: [
        'CREATE INDEX records_scope ON {records} (scope, created_at, id)',
        'CREATE INDEX records_created ON {records} (created_at, id)',
        'CREATE INDEX records_key ON {records} (key, scope) WHERE key IS NOT NULL',
        'CREATE INDEX records_hash ON {records} (hash, scope) WHERE hash IS NOT NULL',
        'CREATE INDEX records_waiting ON {records} (created_at, id) WHERE space IS NULL AND searched',
        'CREATE INDEX records_pinned ON {records} (scope, created_at, id) WHERE pinned',
      ],
    }),
    ...parted({
      name: 'mentions',
      by: 'owner',
      columns:
        'owner bigint NOT NULL, id text COLLATE "C" NOT NULL, version bigint NOT NULL, mentioned text COLLATE "C" NOT NULL',
      after: [
        'CREATE INDEX mentions_mentioned ON {mentions} (mentioned)',
        'CREATE INDEX mentions_id ON {mentions} (id)',
      ],
    }),
    ...parted({
      name: 'links',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        digest bytea NOT NULL,
        from_id text COLLATE "C" NOT NULL,
        to_id text COLLATE "C" NOT NULL,
        from_scope bigint NOT NULL,
        to_scope bigint NOT NULL,
        type text NOT NULL,
        body text NOT NULL,
        PRIMARY KEY (owner, digest)`,
      after: ['CREATE INDEX links_from ON {links} (from_id)', 'CREATE INDEX links_to ON {links} (to_id)'],
    }),
    ...parted({
      name: 'link_log',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        place bigint NOT NULL,
        number integer NOT NULL,
        at bigint NOT NULL,
        digest bytea NOT NULL,
        from_id text COLLATE "C" NOT NULL,
        to_id text COLLATE "C" NOT NULL,
        type text NOT NULL,
        body text,
        previous text,
        scope bigint NOT NULL,
        PRIMARY KEY (place, number, owner)`,
      after: ['CREATE INDEX link_log_from ON {link_log} (from_id)', 'CREATE INDEX link_log_to ON {link_log} (to_id)'],
    }),
    ...parted({
      name: 'journal',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        seq bigint NOT NULL,
        place bigint NOT NULL,
        tx text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        scope bigint NOT NULL,
        line text NOT NULL,
        ids text NOT NULL,
        digest text NOT NULL,
        PRIMARY KEY (owner, seq)`,
    }),
    ...parted({
      name: 'used_keys',
      by: 'owner',
      columns: `owner bigint NOT NULL,
        scope bigint NOT NULL,
        key bytea NOT NULL,
        digest text NOT NULL,
        expires_at bigint NOT NULL,
        place bigint NOT NULL,
        tx text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (owner, scope, key)`,
      after: [
        'CREATE INDEX used_keys_place ON {used_keys} (place)',
        'CREATE INDEX used_keys_expiry ON {used_keys} (owner, expires_at)',
      ],
    }),
  ]
}

/** Every statement that makes the tables of version 1, in order. */
export function schemaStatements(options: TableOptions): readonly string[] {
  return [...tables(options), ...searchTables(options)]
}

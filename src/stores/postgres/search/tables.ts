import { partedTable, type TableOptions } from '../table.ts'

/**
 * What searches look at, kept beside the records by `indexRecords` and by nothing else.
 *
 * - `searched`: a row for each current record, with what a ranking wants to know. `facts` has what filters compare, see
 *   `factsOf`. `arrival` numbers records in the order of their first writes; what comes back after a remove gets a new one.
 * - `postings`: a row for each term of a record; its index has all columns, so that a search need not look at the rows.
 * - `units`: vectors of length one, without zero vectors. Where the server has no `vector` type they are bytes, and compared
 *   here.
 * - the counts: what statistics are made of, by scope and status, so that those of any set of scopes are sums. Records that
 *   can expire are not in them; they are counted while reading.
 */
export function searchTables(options: TableOptions): readonly string[] {
  const parted = (name: string, columns: string, after: readonly string[] = [], storage?: string) =>
    partedTable({ name, by: 'owner', columns, after, ...(storage === undefined ? {} : { storage }) }, options)
  return [
    // Whoever may not make it goes without. Not where the path of the maker leads first: that is this store's own schema for a
    // user of its name, where nobody else finds it, and it would go with the store.
    // Of two stores made at once one finds it made meanwhile.
    `DO $do$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN RETURN; END IF;
      BEGIN CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
      EXCEPTION WHEN insufficient_privilege OR invalid_schema_name THEN CREATE EXTENSION IF NOT EXISTS vector; END;
    EXCEPTION WHEN insufficient_privilege OR unique_violation THEN NULL; END $do$`,
    'CREATE SEQUENCE {arrivals} CACHE 1',
    ...parted(
      'searched',
      `owner bigint NOT NULL,
        num bigint NOT NULL,
        arrival bigint NOT NULL,
        id text COLLATE "C" NOT NULL,
        scope bigint NOT NULL,
        status smallint NOT NULL,
        kind text COLLATE "C" NOT NULL,
        moment bigint NOT NULL,
        created_at bigint NOT NULL,
        valid_from bigint,
        valid_to bigint,
        expires_at bigint,
        pinned boolean NOT NULL,
        importance double precision NOT NULL,
        reliability double precision NOT NULL,
        shape bigint NOT NULL,
        length integer NOT NULL,
        terms text[] COLLATE "C" NOT NULL,
        frequencies integer[] NOT NULL,
        tokens integer[] NOT NULL,
        actor text COLLATE "C",
        role smallint,
        facts jsonb NOT NULL,
        PRIMARY KEY (num, owner)`,
      [
        'CREATE INDEX searched_thread ON {searched} (scope, moment, arrival) INCLUDE (num, status, expires_at, length)',
        'CREATE INDEX searched_mortal ON {searched} (scope) WHERE expires_at IS NOT NULL',
      ],
    ),
    ...parted(
      'postings',
      `owner bigint NOT NULL,
        term text COLLATE "C" NOT NULL,
        scope bigint NOT NULL,
        num bigint NOT NULL,
        frequency integer NOT NULL,
        length integer NOT NULL,
        status smallint NOT NULL,
        expires_at bigint`,
      ['CREATE INDEX postings_term ON {postings} (term, scope, num) INCLUDE (frequency, length, status, expires_at)'],
    ),
    ...parted(
      'scope_counts',
      `owner bigint NOT NULL,
        scope bigint NOT NULL,
        status smallint NOT NULL,
        documents bigint NOT NULL,
        lengths bigint NOT NULL,
        token_records bigint NOT NULL,
        token_entries bigint NOT NULL,
        PRIMARY KEY (scope, status, owner)`,
      [],
      'fillfactor = 50',
    ),
    ...parted(
      'token_counts',
      `owner bigint NOT NULL,
        token integer NOT NULL,
        scope bigint NOT NULL,
        status smallint NOT NULL,
        records bigint NOT NULL,
        PRIMARY KEY (token, scope, status, owner)`,
      [],
      'fillfactor = 70',
    ),
    ...parted(
      'actor_counts',
      `owner bigint NOT NULL,
        scope bigint NOT NULL,
        status smallint NOT NULL,
        digest bytea NOT NULL,
        actor text COLLATE "C" NOT NULL,
        role smallint NOT NULL,
        records bigint NOT NULL,
        PRIMARY KEY (scope, status, digest, owner)`,
      [],
      'fillfactor = 70',
    ),
    ...vectorTables(options),
  ]
}

/** With the type `vector` where there is one, decided by the server. */
function vectorTables(options: TableOptions): readonly string[] {
  const make = (vector: string, total: string) => [
    ...partedTable(
      {
        name: 'units',
        by: 'owner',
        columns: `owner bigint NOT NULL,
          num bigint NOT NULL,
          scope bigint NOT NULL,
          space integer NOT NULL,
          status smallint NOT NULL,
          expires_at bigint,
          id text COLLATE "C" NOT NULL,
          unit ${vector} NOT NULL,
          PRIMARY KEY (num, owner)`,
        after: [
          'CREATE INDEX units_scope ON {units} (scope, space)',
          'CREATE INDEX units_mortal ON {units} (scope) WHERE expires_at IS NOT NULL',
        ],
      },
      options,
    ),
    ...partedTable(
      {
        name: 'vector_counts',
        by: 'owner',
        columns: `owner bigint NOT NULL,
          scope bigint NOT NULL,
          status smallint NOT NULL,
          space integer NOT NULL,
          vectors bigint NOT NULL,
          total ${total},
          PRIMARY KEY (scope, status, space, owner)`,
        storage: 'fillfactor = 50',
      },
      options,
    ),
  ]
  const execute = (statements: readonly string[]) => statements.map((text) => `EXECUTE $sql$${text}$sql$;`).join('\n')
  return [
    `DO $do$ BEGIN
      IF to_regtype('vector') IS NOT NULL THEN ${execute(make('vector', 'vector'))}
      ELSE ${execute(make('bytea', 'bytea'))} END IF;
    END $do$`,
  ]
}

import { createGate, type MemoryStore, type OperationOptions, type SnapshotStore } from '../../contract/index.ts'
import { backup } from './backup.ts'
import { findUsedKey } from './commit.ts'
import { compareCursors } from './cursor.ts'
import { derive } from './derive.ts'
import { erase } from './erase.ts'
import { isBusy, isFull } from './failure.ts'
import { commitTogether } from './group.ts'
import { identityOf } from './held-files.ts'
import { holders } from './holders.ts'
import { journal, journalEnds } from './journal.ts'
import { links } from './links.ts'
import { head, log, revisions, transaction } from './log.ts'
import { openSession } from './open.ts'
import { checkOptions, type SqliteOptions } from './options.ts'
import { get, list, vectorsOf } from './read.ts'
import { openScratch } from './scratch.ts'
import { emptyWal, scrubFile } from './scrub-file.ts'
import { type Call, read, readAtOnce, type Session, write } from './session.ts'
import { readSnapshot, snapshotState, writeSnapshot } from './snapshots.ts'
import { stats, vectorSpaces } from './stats.ts'
import { verify } from './verify.ts'
import { runAtOnce } from './work.ts'

const name = 'sqlite'

/** As many are looked up without an interruption. */
const few = 16

async function closeSession(session: Session): Promise<void> {
  const { path, reader, writer, checkpointer } = session
  await checkpointer?.stop()
  if (reader !== writer) reader.close()
  try {
    if (path !== ':memory:' && reader !== writer) emptyWal(writer)
  } catch (error) {
    // Another process goes on with the WAL, or the disk is full: what is in it is as durable as the file.
    if (!isBusy(error) && !isFull(error)) throw error
  } finally {
    writer.close()
    session.release()
  }
}

/**
 * A store in one SQLite file, which several processes may share: each sees the others' commits at once. Nothing is
 * written before `open`. What can't be read on a damaged page is left out of reads and named by `verify`.
 * @throws SetupError BAD_CONFIG for options that can't be meant
 */
export function sqlite(options: SqliteOptions): MemoryStore {
  const checked = checkOptions(options)
  const gate = createGate<Session>(name)
  const on = <T>(
    operation: string,
    { signal }: OperationOptions,
    action: (session: Session, call: Call) => Promise<T>,
  ): Promise<T> => gate.run({ signal }, (session) => action(session, { operation, signal }))

  const snapshots: SnapshotStore = {
    state: (of, options = {}) =>
      on('snapshots', options, (session, call) => readAtOnce(session, call, (db) => snapshotState(db, of))),
    read: (of, key, options = {}) =>
      on('snapshots', options, (session, call) => read(session, call, (db) => readSnapshot(db, of, key))),
    write: (of, change, options = {}) =>
      on('snapshots', options, (session, call) => write(session, call, (db) => writeSnapshot(db, session, of, change))),
    compare: compareCursors,
  }

  return {
    name,
    contract: 1,
    open: (options = {}) => gate.open(options, () => openSession(checked, options.signal)),
    close: () => gate.close(closeSession),

    get: (scope, ids, options = {}) =>
      on('get', options, (session, call) =>
        ids.length > few
          ? read(session, call, (db) => get(db, session, scope, ids, options))
          : readAtOnce(session, call, (db) => runAtOnce(get(db, session, scope, ids, options))),
      ),
    list: (scope, query, options = {}) =>
      on('list', options, (session, call) => read(session, call, (db) => list(db, session, scope, query, options))),

    holders: (claims, options = {}) =>
      on('holders', options, (session, call) =>
        claims.length > few
          ? read(session, call, (db) => holders(db, claims))
          : readAtOnce(session, call, (db) => runAtOnce(holders(db, claims))),
      ),

    commit: (transaction, options = {}) =>
      on('commit', options, (session, call) => commitTogether(session, call, transaction)),
    derive: (derivations, touched = [], options = {}) =>
      on('derive', options, (session, call) =>
        write(session, call, (db) => derive(db, session.known, derivations, touched)),
      ),
    erase: (scope, ids, options = {}) =>
      on('erase', options, async (session, call) => {
        const counts = await write(session, call, (db) => erase(db, session, scope, ids, options))
        await scrubFile(session, call)
        return counts
      }),

    revisions: (scope, id, options = {}) =>
      on('revisions', options, (session, call) => readAtOnce(session, call, (db) => revisions(db, session, scope, id))),
    log: (after, options = {}) =>
      on('log', options, (session, call) =>
        read(session, call, (db) => log(db, session, after, options.limit ?? 1000)),
      ),
    head: (options = {}) => on('head', options, (session, call) => readAtOnce(session, call, () => head(session))),
    secret: (options = {}) => on('secret', options, async ({ salt }) => Buffer.from(salt)),
    place: (options = {}) => on('place', options, async ({ path, identity }) => identityOf(path) ?? identity),
    usedKey: (scope, key, query, options = {}) =>
      on('usedKey', options, (session, call) =>
        readAtOnce(session, call, (db) => {
          const used = findUsedKey(db, scope, key, query.now)
          return used && { tx: used.tx, digest: used.digest }
        }),
      ),
    transaction: (id, options = {}) =>
      on('transaction', options, (session, call) => readAtOnce(session, call, (db) => transaction(db, session, id))),
    links: (scope, ids, options = {}) =>
      on('links', options, (session, call) =>
        read(session, call, (db) => links(db, session, scope, ids, options.asOf)),
      ),
    journal: (scope, query, options = {}) =>
      on('journal', options, (session, call) =>
        read(session, call, (db) => journal(db, session, scope, query.after ?? 0, query.limit)),
      ),
    journalEnds: (options = {}) =>
      on('journalEnds', options, (session, call) => readAtOnce(session, call, journalEnds)),
    stats: (scope, query, options = {}) =>
      on('stats', options, (session, call) =>
        read(session, call, (db) => stats(db, session, scope, query, options.asOf)),
      ),
    vectorsOf: (ids, options = {}) =>
      on('vectorsOf', options, (session, call) => read(session, call, (db) => vectorsOf(db, ids))),
    vectorSpaces: (options = {}) =>
      on('vectorSpaces', options, (session, call) => readAtOnce(session, call, vectorSpaces)),
    verify: (options = {}) => on('verify', options, (session, call) => verify(session, call.signal)),
    // A file in memory goes with its process, and its index with it.
    ...(checked.path === ':memory:'
      ? {}
      : { snapshots, scratch: (options = {}) => on('scratch', options, ({ path }) => openScratch(path)) }),
    backup: (path, options = {}) => on('backup', options, (session, call) => backup(session, path, call.signal)),
  }
}

import { randomBytes } from 'node:crypto'
import { SetupError } from '../../errors/index.ts'
import { type Call, type Connection, connect } from './connection.ts'
import { type Dialect, dialectOf } from './dialects.ts'
import { backendFailure, boltCode, isLost, isPassing } from './failure.ts'
import type { CheckedOptions } from './options.ts'
import type { Session } from './session.ts'
import { partition } from './tokens.ts'
import { takeTurns } from './turns.ts'

/** Of the nodes and their properties. A change of them gets the next number and a step that makes it of the one before. */
const format = 1

/** Attempts at one statement of the schema: several processes may open a new database at once. */
const schemaAttempts = 10

async function makeSchema(connection: Connection, dialect: Dialect, call: Call, lacks: Set<string>): Promise<void> {
  for (const text of [...dialect.schema, ...(dialect.textIndex === null ? [] : [dialect.textIndex])]) {
    for (let attempt = 1; ; attempt++) {
      try {
        await connection.alone(call, text)
        break
      } catch (error) {
        const code = boltCode(error)
        if (code !== null && (dialect.alreadyThere.test(code) || dialect.alreadyThere.test((error as Error).message)))
          break
        // Words are indexed for people; a server without such an index is no worse a store.
        if (text === dialect.textIndex && code !== null && !isLost(error)) {
          lacks.add('an index of words')
          break
        }
        if (!isPassing(error) || attempt === schemaAttempts) throw backendFailure(call.operation, error)
      }
    }
  }
}

/** Reaches the server, makes what is missing, and reads what belongs to the store. @throws SetupError, BackendError */
export async function openSession(options: CheckedOptions, call: Call): Promise<Session> {
  const connection = connect(options)
  const lacks = new Set<string>()
  try {
    const dialect = dialectOf(await connection.agent(call))
    const place = partition(options.namespace)
    const [known] = await connection.transact(call, (run) =>
      run("OPTIONAL MATCH (s:MnemeSchema {uid: 'mneme'}) RETURN s.format AS format"),
    )
    const there = known?.format as number | null
    if (there !== null && there > format) {
      throw new SetupError({
        code: 'CONTRACT_MISMATCH',
        message: `bolt store: the database has format ${there}, this version of mneme knows up to ${format}. Update mneme.`,
        details: { format: there, known: format },
      })
    }
    if (there !== format) {
      await makeSchema(connection, dialect, call, lacks)
      await connection.transact(call, (run) =>
        run("MERGE (s:MnemeSchema {uid: 'mneme'}) SET s.format = $format", { format: BigInt(format) }),
      )
    }
    const [store] = await connection.transact(call, async (run) => {
      const { uid } = place
      const [rows] = await Promise.all([
        run('MERGE (s:MnemeStore {uid: $uid}) ON CREATE SET s.store = $store, s.salt = $salt RETURN s.salt AS salt', {
          uid: uid('store'),
          store: place.store,
          salt: randomBytes(16).toString('hex'),
        }),
        run('MERGE (l:MnemeLog {uid: $uid}) ON CREATE SET l.store = $store, l.position = $zero, l.turn = 0', {
          uid: uid('log'),
          store: place.store,
          zero: 0n,
        }),
        run('MERGE (d:MnemeDerived {uid: $uid}) ON CREATE SET d.store = $store, d.count = $zero, d.turn = 0', {
          uid: uid('derived'),
          store: place.store,
          zero: 0n,
        }),
      ])
      return rows
    })
    return {
      connection,
      dialect,
      partition: place,
      patienceMs: Math.min(options.connectTimeoutMs, options.timeoutMs),
      salt: store?.salt as string,
      turns: takeTurns(),
      pulse: { asked: null },
      owners: new Set(),
      spaces: new Set(),
      indexed: new Set(),
      lacks,
      background: new Set(),
    }
  } catch (error) {
    await connection.close().catch(() => undefined)
    throw error
  }
}

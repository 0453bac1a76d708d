/** What differs between servers that speak Bolt and Cypher. Everything else is Cypher that all of them read alike. */
export interface Dialect {
  readonly name: 'neo4j' | 'memgraph'
  /** Statements that make constraints and indexes, each in a transaction of its own; made already does no harm. */
  readonly schema: readonly string[]
  /** Indexes for people's own queries, over the words and the vectors of `Memory` nodes; mneme does without them. */
  readonly textIndex: string | null
  vectorIndex(dimensions: number): string | null
  /** Codes of the server that say of such a statement: it is there. */
  readonly alreadyThere: RegExp
  /**
   * Reads take the locks of what they read, as each statement sees whatever was committed by then, half a transaction even. False
   * where a transaction reads one state from beginning to end.
   */
  readonly locksReads: boolean
  /** The server's clock: an expression that is bound to `now`, and one for microseconds since 1970 by it. */
  readonly clock: { readonly now: string; readonly micros: string }
}

/** One property each that is never there twice. */
const unique = [
  ['MnemeSchema', 'uid'],
  ['MnemeStore', 'uid'],
  ['MnemeLog', 'uid'],
  ['MnemeDerived', 'uid'],
  ['MnemeOwner', 'uid'],
  ['MnemeId', 'uid'],
  ['MnemeErased', 'uid'],
  ['MnemeTransaction', 'uid'],
  ['MnemeKey', 'uid'],
  ['MnemeSpace', 'uid'],
] as const

/** Properties that reads look for, in this order. */
const indexed: readonly (readonly [label: string, properties: readonly string[]])[] = [
  ['Memory', ['userId', 'createdAt']],
  ['Memory', ['userId', 'moment']],
  ['Memory', ['agentId']],
  ['Memory', ['appId']],
  ['Memory', ['sessionId']],
  ['Memory', ['scopeId']],
  ['Memory', ['store']],
  ['Memory', ['key']],
  ['Memory', ['keyClaim']],
  ['Memory', ['contentClaim']],
  ['MnemeId', ['owner']],
  ['MnemeId', ['userId']],
  ['MnemeId', ['agentId']],
  ['MnemeId', ['sessionId']],
  ['MnemeId', ['scopeId']],
  ['MnemeId', ['store']],
  ['MnemeOwner', ['store']],
  ['MnemeOwner', ['userId']],
  ['MnemeTransaction', ['store', 'position']],
  ['MnemeUnplaced', ['store']],
  ['MnemeJournal', ['owner', 'seq']],
  ['MnemeJournal', ['userId']],
  ['MnemeJournal', ['sessionId']],
  ['MnemeJournal', ['scopeId']],
  ['MnemeJournal', ['store']],
  ['MnemeKey', ['txUid']],
]

function nameOf(label: string, properties: readonly string[]): string {
  return `mneme_${[label, ...properties].join('_').toLowerCase()}`
}

const neo4j: Dialect = {
  name: 'neo4j',
  schema: [
    ...unique.map(
      ([label, property]) =>
        `CREATE CONSTRAINT ${nameOf(label, [property])} IF NOT EXISTS FOR (n:${label}) REQUIRE n.${property} IS UNIQUE`,
    ),
    ...indexed.map(
      ([label, properties]) =>
        `CREATE INDEX ${nameOf(label, properties)} IF NOT EXISTS FOR (n:${label}) ON (${properties.map((each) => `n.${each}`).join(', ')})`,
    ),
  ],
  textIndex: 'CREATE FULLTEXT INDEX mneme_memory_content IF NOT EXISTS FOR (n:Memory) ON EACH [n.content]',
  vectorIndex: (dimensions) =>
    `CREATE VECTOR INDEX mneme_memory_vector_${dimensions} IF NOT EXISTS FOR (n:Memory) ON (n.vector${dimensions}) OPTIONS {indexConfig: {\`vector.dimensions\`: ${dimensions}, \`vector.similarity_function\`: 'cosine'}}`,
  alreadyThere: /^Neo\.ClientError\.Schema\.(?:EquivalentSchemaRule|Index|Constraint)\w*AlreadyExists$/,
  locksReads: true,
  // Of this very moment; other clocks tell when the transaction began, before it waited for its locks.
  clock: { now: 'datetime.realtime()', micros: 'now.epochMillis * 1000 + now.microsecond % 1000' },
}

const memgraph: Dialect = {
  name: 'memgraph',
  schema: [
    ...unique.map(([label, property]) => `CREATE CONSTRAINT ON (n:${label}) ASSERT n.${property} IS UNIQUE`),
    // A constraint is no index there.
    ...unique.map(([label, property]) => `CREATE INDEX ON :${label}(${property})`),
    ...indexed.map(([label, properties]) => `CREATE INDEX ON :${label}(${properties.join(', ')})`),
  ],
  textIndex: 'CREATE TEXT INDEX mneme_memory_content ON :Memory(content)',
  vectorIndex: (dimensions) =>
    `CREATE VECTOR INDEX mneme_memory_vector_${dimensions} ON :Memory(vector${dimensions}) WITH CONFIG {"dimension": ${dimensions}, "capacity": 100000, "metric": "cos"}`,
  alreadyThere: /already exists/i,
  locksReads: false,
  clock: { now: 'timestamp()', micros: 'now' },
}

/** By what a server calls itself when it is greeted. Memgraph names Neo4j too, as what it is compatible with. */
export function dialectOf(agent: string | undefined): Dialect {
  return /memgraph/i.test(agent ?? '') ? memgraph : neo4j
}

export const dialects = { neo4j, memgraph } as const

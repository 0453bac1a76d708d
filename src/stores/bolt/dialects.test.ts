import { describe, expect, it } from 'vitest'
import { dialectOf, dialects } from './dialects.ts'

describe('dialects of Bolt servers', () => {
  it('[BLT-4] a server is known by what it calls itself; Memgraph names Neo4j too', () => {
    expect(dialectOf('Neo4j/5.26.0')).toBe(dialects.neo4j)
    expect(dialectOf('Neo4j/v5.11.0 compatible graph database server - Memgraph')).toBe(dialects.memgraph)
    expect(dialectOf(undefined)).toBe(dialects.neo4j)
  })

  it('[BLT-5] both dialects make the same constraints and indexes, each in its own words', () => {
    const { neo4j, memgraph } = dialects
    const uniqueIn = (pattern: RegExp, schema: readonly string[]) =>
      schema.flatMap((text) => pattern.exec(text)?.slice(1, 3).join('.') ?? []).sort()
    const unique = uniqueIn(/FOR \(n:(\w+)\) REQUIRE n\.(\w+) IS UNIQUE$/, neo4j.schema)
    expect(unique).toContain('MnemeId.uid')
    expect(uniqueIn(/^CREATE CONSTRAINT ON \(n:(\w+)\) ASSERT n\.(\w+) IS UNIQUE$/, memgraph.schema)).toEqual(unique)
    const indexesIn = (pattern: RegExp, schema: readonly string[]) =>
      schema.flatMap((text) => {
        const [, label, properties] = pattern.exec(text) ?? []
        return label === undefined ? [] : [`${label}(${(properties as string).replaceAll('n.', '')})`]
      })
    const indexes = indexesIn(/^CREATE INDEX \w+ IF NOT EXISTS FOR \(n:(\w+)\) ON \((.+)\)$/, neo4j.schema)
    expect(indexes).toContain('Memory(userId, createdAt)')
    const ofConstraints = unique.map((name) => `${name.replace('.', '(')})`)
    expect(indexesIn(/^CREATE INDEX ON :(\w+)\((.+)\)$/, memgraph.schema).sort()).toEqual(
      [...indexes, ...ofConstraints].sort(),
    )
    expect(new Set(neo4j.schema).size).toBe(neo4j.schema.length)
  })

  it('[BLT-5] indexes of words and vectors are written in the words of each server', () => {
    expect(dialects.neo4j.vectorIndex(256)).toContain('`vector.dimensions`: 256')
    expect(dialects.neo4j.textIndex).toMatch(/^CREATE FULLTEXT INDEX .* ON EACH \[n\.content\]$/)
    expect(dialects.memgraph.vectorIndex(256)).toContain('"dimension": 256')
    expect(dialects.memgraph.textIndex).toMatch(/^CREATE TEXT INDEX /)
  })
})

import { createHash, createHmac } from 'node:crypto'
import { SetupError } from '../../../errors/index.ts'
import { type ScopeFilter, scopeKey } from '../../../model/index.ts'
import { digestOf } from '../names.ts'
import { labelsOf } from '../scope-condition.ts'

/** Makes what lets a transaction through row-level security. */
export interface Wall {
  /** For what a filter lets through, to be read; without one for everything, to be written too. Good for ten minutes. */
  token(scope?: ScopeFilter): string
}

/** Block size of SHA-256, as HMAC wants it. */
const blockLength = 64
const leastSecret = 32
/** A transaction has to begin within this time. What has begun goes on. */
const lifetimeMs = 600_000

/** @throws SetupError BAD_CONFIG */
export function checkSecret(secret: unknown): string {
  if (typeof secret !== 'string' || secret.length < leastSecret) {
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: `postgres store: wall.secret: must be a random text of at least ${leastSecret} characters.`,
    })
  }
  return secret
}

/** The key of one schema: a token of another one is worth nothing here, and the secret itself is not in the database. */
export function wallKey(secret: string, schema: string): Uint8Array {
  return createHmac('sha256', secret).update(`mneme wall ${schema}`).digest()
}

/** HMAC as two hashes: what goes in front of the text, and in front of the hash of that. */
export function padsOf(key: Uint8Array): { readonly inner: Uint8Array; readonly outer: Uint8Array } {
  const block = new Uint8Array(blockLength)
  block.set(key)
  return { inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) }
}

/** `all` comes first, so that the server sees it before it verifies the rest. */
function claimsOf(scope: ScopeFilter | undefined): object {
  if (scope === undefined || scope.rules === 'all') return { all: true }
  const exact: string[] = []
  const within: object[] = []
  for (const rule of scope.rules) {
    if (rule.type === 'exact') exact.push(digestOf(scopeKey(rule.scope)).toString('hex'))
    else within.push(labelsOf(rule.scope))
  }
  return { all: false, exact, within }
}

/** @param now the server's time, epoch milliseconds */
export function createWall(secret: string, schema: string, now: () => number): Wall {
  const key = wallKey(secret, schema)
  return {
    token(scope) {
      const claims = JSON.stringify({ ...claimsOf(scope), until: Math.ceil(now()) + lifetimeMs })
      return createHmac('sha256', key).update(claims).digest('hex') + claims
    },
  }
}

/** Tells walls from each other that were raised by other versions, without a number that somebody has to think of. */
export function fingerprint(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join(';')).digest('hex').slice(0, 16)
}

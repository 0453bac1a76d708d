import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'
import type { z } from 'zod'
import { InputError } from '../errors/index.ts'
import { canonicalJson } from '../model/index.ts'
import type { Core } from './core.ts'

const cipher = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

function invalid(): InputError {
  return new InputError({
    code: 'INVALID_CURSOR',
    message: 'cursor: is none of this call. Take nextCursor from the answer before and repeat the other arguments.',
  })
}

/** Digest of the arguments that a cursor belongs to: with others it would page through something else. */
export function argumentsDigest(verb: string, input: Readonly<Record<string, unknown>>): string {
  // Neither do who reads and why change what is read.
  const { cursor: _cursor, limit: _limit, signal: _signal, reason: _reason, actor: _actor, vector, ...rest } = input
  const plain = { vector: vector === undefined ? null : Array.from(vector as ArrayLike<number>), ...rest }
  return createHash('sha256')
    .update(canonicalJson([verb, plain]))
    .digest('base64url')
    .slice(0, 16)
}

/** The key that cursors of a store are sealed with. */
export function tokenKey(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'mneme cursor', 32))
}

/**
 * A cursor that remembers where a list goes on and which arguments it belongs to. Sealed: nobody reads from it how much
 * others wrote, and none but the store's own are taken. Equal places have equal cursors.
 */
export function encodeToken(core: Core, digest: string, position: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify([digest, position])
  const key = core.tokenKeys.current
  // The nonce is made from the text, so it never stands for two different ones.
  const nonce = createHmac('sha256', key).update(text).digest().subarray(0, nonceLength)
  const sealing = createCipheriv(cipher, key, nonce)
  return Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]).toString(
    'base64url',
  )
}

function unseal(key: Uint8Array, token: string): unknown {
  const bytes = Buffer.from(token, 'base64url')
  const nonce = bytes.subarray(0, nonceLength)
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagLength })
  opening.setAuthTag(bytes.subarray(-tagLength))
  return JSON.parse(
    Buffer.concat([opening.update(bytes.subarray(nonceLength, -tagLength)), opening.final()]).toString(),
  )
}

/** Where to go on. @throws InputError INVALID_CURSOR for junk and for a cursor of other arguments */
export function decodeToken<T>(core: Core, token: string, digest: string, schema: z.ZodType<T>): T {
  for (const key of core.tokenKeys.all) {
    try {
      const [made, position] = unseal(key, token) as [string, unknown]
      if (made === digest) return schema.parse(position)
    } catch {
      // Junk is refused below like a cursor of another call.
    }
  }
  throw invalid()
}

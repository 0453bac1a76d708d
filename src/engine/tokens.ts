import { createHash } from 'node:crypto'
import { InputError } from '../errors/index.ts'
import { canonicalJson } from '../model/index.ts'

function invalid(): InputError {
  return new InputError({
    code: 'INVALID_CURSOR',
    message: 'cursor: is none of this call. Take nextCursor from the answer before and repeat the other arguments.',
  })
}

/** Digest of the arguments that a cursor belongs to: with others it would page through something else. */
export function argumentsDigest(verb: string, input: Readonly<Record<string, unknown>>): string {
  const { cursor: _cursor, limit: _limit, signal: _signal, vector, ...rest } = input
  const plain = { ...rest, vector: vector === undefined ? null : Array.from(vector as ArrayLike<number>) }
  return createHash('sha256')
    .update(canonicalJson([verb, plain]))
    .digest('base64url')
    .slice(0, 16)
}

/** An opaque cursor that remembers where a list goes on and which arguments it belongs to. */
export function encodeToken(digest: string, position: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify([digest, position])).toString('base64url')
}

/** Where to go on. @throws InputError INVALID_CURSOR for junk and for a cursor of other arguments */
export function decodeToken(token: string, digest: string): Record<string, unknown> {
  try {
    const [made, position] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [string, Record<string, unknown>]
    if (made === digest && typeof position === 'object' && position !== null) return position
  } catch {
    // Junk is refused below like a cursor of another call.
  }
  throw invalid()
}

import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import type { Scope } from '../../model/index.ts'
import { type Access, writeScope } from '../access.ts'
import type { MigrateToColdResult } from '../api/health.ts'
import { defineVerb, idField, signalOption, writeOptions } from '../verb.ts'

/** The scope of the call with the session in it. @throws InputError SCOPE_DENIED beyond a view's ceiling, INVALID_ARGUMENT for two sessions */
function sessionScope(access: Access, sessionId: string, given: unknown): Scope {
  const scope = writeScope(access, given)
  const isBound = access.ceiling?.sessionId !== undefined
  if (!isBound && scope.sessionId !== undefined && scope.sessionId !== sessionId) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'migrateToCold: the scope is of another session. Leave the session out of it, or name the same.',
    })
  }
  return writeScope(access, { ...scope, sessionId })
}

export const migrateToCold = defineVerb({
  name: 'migrateToCold',
  summary: 'Move what a session wrote into the durable layer of a store that has layers.',
  positional: ['sessionId'],
  input: () => z.strictObject({ sessionId: idField(), scope: writeOptions.scope, ...signalOption }),
  writes: true,
  example: 'mneme migrate-to-cold chat-42 --user ann',
  async run({ core, access }, { sessionId, scope, signal }): Promise<MigrateToColdResult> {
    const session = sessionScope(access, sessionId, scope)
    const moved = await core.store.migrateToCold?.(session, { signal })
    if (!moved) return { migrated: 0, remaining: 0 }
    core.committed.announce()
    return { migrated: moved.migrated, remaining: moved.remaining }
  },
})

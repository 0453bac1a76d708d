import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import { defineVerb, signalOption } from '../verb.ts'

export const backup = defineVerb({
  name: 'backup',
  summary: 'Copy the whole store to another path, while in use.',
  positional: ['path'],
  input: () => z.strictObject({ path: z.string().min(1), ...signalOption }),
  writes: false,
  caretaker: true,
  example: 'mneme backup ./memory-copy.db',
  async run(call, input): Promise<{ readonly path: string }> {
    const { store, touches } = call.core
    if (!store.backup) {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: `The ${store.name} store is not a file and has no backup of its own. Use the tools of its server, or mneme migrate.`,
      })
    }
    await touches.flush()
    await store.backup(input.path, { signal: input.signal })
    return { path: input.path }
  },
})

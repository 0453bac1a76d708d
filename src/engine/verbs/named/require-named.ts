import type { StoredRecord } from '../../../contract/index.ts'
import { NotFoundError } from '../../../errors/index.ts'
import type { Named, NamedKind } from '../../../kinds/index.ts'
import type { Scope } from '../../../model/index.ts'
import type { Core } from '../../core.ts'
import { holderOf } from '../../keyed.ts'

/** The newest version of a name. @throws NotFoundError RECORD_NOT_FOUND */
export async function requireNamed<Item extends Named>(
  core: Core,
  { kind, word }: NamedKind<Item>,
  name: string,
  scope: Scope,
  signal?: AbortSignal,
): Promise<StoredRecord> {
  const { current } = await holderOf(core, kind, name, scope, signal)
  if (current) return current
  throw new NotFoundError({
    code: 'RECORD_NOT_FOUND',
    message: `No such ${word} in this scope. Check the name and the scope of the call.`,
    details: { name },
  })
}

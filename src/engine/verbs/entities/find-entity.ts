import type { StoredRecord } from '../../../contract/index.ts'
import { NotFoundError } from '../../../errors/index.ts'
import { entityIn, isCalled, nameForm } from '../../../kinds/index.ts'
import { exactly, type MemoryRecord, type Scope } from '../../../model/index.ts'
import type { KnownEntity } from '../../api/entities.ts'
import type { Core } from '../../core.ts'
import { holderOf } from '../../keyed.ts'
import { listAll } from '../../listing.ts'

/** Entities are memories of this kind with a key. */
export const entityKind = 'entity'

export function knownEntity(record: MemoryRecord): KnownEntity {
  const { id, version, updatedAt } = record
  return { ...entityIn(record), id, version, updatedAt }
}

/** Every entity of an exact scope, oldest first: the records alone. */
export function entitiesOf(core: Core, scope: Scope, signal?: AbortSignal): Promise<StoredRecord[]> {
  const { lifetimes } = core.policies
  const query = { kinds: [entityKind], keyed: true, now: core.clock(), lifetimes, signal }
  return listAll(core, exactly(scope), query, { bare: true })
}

/** Who goes by a name in an exact scope: whose name it is, to the letter or in another spelling, else whose alias; of several the oldest. */
export async function findEntity(
  core: Core,
  name: string,
  scope: Scope,
  signal?: AbortSignal,
): Promise<StoredRecord | null> {
  const { current } = await holderOf(core, entityKind, name, scope, signal)
  if (current) return current
  const form = nameForm(name)
  const called = (await entitiesOf(core, scope, signal)).filter(({ record }) => isCalled(entityIn(record), form))
  const found = called.find(({ record }) => nameForm(record.key as string) === form) ?? called[0]
  if (!found) return null
  const [whole = null] = await core.store.get(exactly(scope), [found.record.id], { signal })
  return whole
}

/** @throws NotFoundError RECORD_NOT_FOUND */
export async function requireEntity(
  core: Core,
  name: string,
  scope: Scope,
  signal?: AbortSignal,
): Promise<StoredRecord> {
  const found = await findEntity(core, name, scope, signal)
  if (found) return found
  throw new NotFoundError({
    code: 'RECORD_NOT_FOUND',
    message: 'No entity of this name in this scope. Check the name and the scope of the call, or set it first.',
    details: { name },
  })
}

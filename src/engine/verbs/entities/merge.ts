import { z } from 'zod'
import type { PutRecord } from '../../../contract/index.ts'
import { InputError } from '../../../errors/index.ts'
import { entityIn, mergedEntity } from '../../../kinds/index.ts'
import { equalJson, type Link, type MemoryRecord } from '../../../model/index.ts'
import { reachScope } from '../../access.ts'
import type { EntityMergeResult } from '../../api/entities.ts'
import { linkName } from '../../graph.ts'
import { keyField } from '../../keyed.ts'
import { type Call, writeOptions } from '../../verb.ts'
import { defineWrite, outcomeOf } from '../../write-verb.ts'
import { closedBy } from '../closed-by.ts'
import { planEdit } from '../edit.ts'
import { unstamped } from '../unstamped.ts'
import { knownEntity, requireEntity } from './find-entity.ts'
import { saying } from './set.ts'

/** A link of the one that goes, as one of the one that stays. */
function moved(link: Link, goes: string, stays: string): Link {
  const end = (id: string) => (id === goes ? stays : id)
  return { ...link, from: end(link.from), to: end(link.to) }
}

/** The links that the one that stays gets. Where it has the same one already, the greater weight and its own metadata count. */
async function linksFor(
  { core, access }: Call,
  goes: string,
  stays: string,
  input: { readonly scope?: unknown; readonly signal?: AbortSignal | undefined },
): Promise<readonly Link[]> {
  const around = await core.store.links(reachScope(access, input.scope), [goes, stays], { signal: input.signal })
  const touches = (link: Link, id: string) => link.from === id || link.to === id
  const own = new Map(around.filter((link) => touches(link, stays)).map((link) => [linkName(link), link]))
  return around
    .filter((link) => touches(link, goes) && !touches(link, stays))
    .map((link) => {
      const next = moved(link, goes, stays)
      const there = own.get(linkName(next))
      if (!there) return next
      const metadata = { ...next.metadata, ...there.metadata }
      return { ...there, weight: Math.max(there.weight, next.weight), metadata }
    })
    .filter((link) => {
      const there = own.get(linkName(link))
      return !there || !equalJson({ ...there }, { ...link })
    })
    .sort((a, b) => (linkName(a) < linkName(b) ? -1 : 1))
}

/** The one that stays, with what only the other one said. */
function grown(stays: MemoryRecord, goes: MemoryRecord): PutRecord {
  const record = {
    ...unstamped(stays),
    tags: [...new Set([...stays.tags, ...goes.tags])],
    metadata: { ...goes.metadata, ...stays.metadata },
    importance: Math.max(stays.importance, goes.importance),
    pinned: stays.pinned || goes.pinned,
  }
  return saying(record, mergedEntity(entityIn(stays), entityIn(goes)))
}

export const entitiesMerge = defineWrite({
  name: 'entities.merge',
  summary: 'Say that two entities are one: names and links of both go to the second one, the first is superseded.',
  positional: ['name', 'into'],
  input: () => z.strictObject({ name: keyField(), into: keyField(), ...writeOptions }),
  example: 'mneme entities merge Holstenstadt Kiel --user ann --dry-run',
  async plan(call, input, scope) {
    const { core } = call
    const goes = await requireEntity(core, input.name, scope, input.signal)
    const stays = await requireEntity(core, input.into, scope, input.signal)
    const [gone, staying] = [goes.record.id, stays.record.id]
    if (gone === staying) {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: 'merge: both names are of one entity already. Give the names of two.',
        details: { id: staying },
      })
    }
    const links = await linksFor(call, gone, staying, input)
    const { step, kept } = planEdit(core, stays, grown(stays.record, goes.record))
    return {
      steps: [
        closedBy(core, goes, { id: staying }),
        ...(kept ? [kept] : []),
        step,
        ...links.map((link) => ({ type: 'link' as const, link })),
      ],
      refs: [
        { id: staying, scope: stays.record.scope },
        { id: gone, scope: goes.record.scope },
      ],
      extra: links.length,
    }
  },
  answer(answered): EntityMergeResult {
    const [record, merged] = answered.records as [MemoryRecord, MemoryRecord]
    return { record, entity: knownEntity(record), merged, links: answered.extra as number, ...outcomeOf(answered) }
  },
})

import type { ExplainResult, MemoryEngine, ReadScopeOptions } from '../engine/index.ts'
import type { MemoryRecord, Revision } from '../model/index.ts'
import type { Asked } from './output/asked.ts'
import { idsInHistory } from './output/history.ts'

type Further = Pick<Asked, 'records' | 'more'>

/** Another look at the memory, for what people are told beside some answers. */
export async function lookFurther(
  memory: MemoryEngine,
  verb: string,
  answer: unknown,
  read: ReadScopeOptions,
): Promise<Further> {
  const records = new Map<string, MemoryRecord>()
  const know = async (ids: readonly string[]) => {
    const found = ids.length === 0 ? [] : await memory.getMany(ids, read)
    for (const record of found) if (record) records.set(record.id, record)
  }
  if (verb === 'history') await know(idsInHistory(answer as readonly Revision[]))
  if (verb === 'explain') await know([(answer as ExplainResult).id])
  if (verb !== 'changes') return { records, more: false }
  const { cursor } = answer as { readonly cursor: string }
  const next = await memory.changes({ ...read, after: cursor, limit: 1 })
  return { records, more: next.changes.length > 0 }
}

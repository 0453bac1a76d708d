import type { DerivedVector, Touch } from '../../contract/index.ts'
import { formatInstant } from '../../model/index.ts'
import { copyVector, lastVersion, type State } from './state.ts'

function storeVector(state: State, { id, version, vector }: DerivedVector): boolean {
  const head = state.heads.get(id)
  if (head?.current?.record.version !== version) return false
  const kept = lastVersion(head)
  const copy = copyVector(vector)
  kept.stored = kept.stored && { ...kept.stored, vector: copy }
  head.current = { ...head.current, vector: copy }
  return true
}

function touch(state: State, { id, at }: Touch): void {
  const head = state.heads.get(id)
  if (!head?.current) return
  const { record } = head.current
  const last = record.lastAccessedAt === undefined ? at : Math.max(at, Date.parse(record.lastAccessedAt))
  head.current = {
    ...head.current,
    record: { ...record, accessCount: record.accessCount + 1, lastAccessedAt: formatInstant(last) },
  }
}

export function derive(state: State, vectors: readonly DerivedVector[], touched: readonly Touch[]): void {
  const stored = vectors.filter((vector) => storeVector(state, vector))
  if (stored.length > 0) state.derived++
  for (const each of touched) touch(state, each)
}

import type { Derivation, Touch } from '../../contract/index.ts'
import { formatInstant } from '../../model/index.ts'
import { copyVector, lastVersion, type State } from './state.ts'

/** True when a vector was stored. */
function store(state: State, { id, version, vector, analysis }: Derivation): boolean {
  const head = state.heads.get(id)
  if (head?.current?.record.version !== version) return false
  const kept = lastVersion(head)
  const late = {
    ...(vector === undefined ? {} : { vector: copyVector(vector) }),
    ...(analysis === undefined ? {} : { analysis: structuredClone(analysis) }),
  }
  kept.stored = kept.stored && { ...kept.stored, ...late }
  head.current = { ...head.current, ...late }
  return vector !== undefined
}

function touch(state: State, { id, at, count }: Touch): void {
  const head = state.heads.get(id)
  if (!head?.current) return
  const { record } = head.current
  const last = record.lastAccessedAt === undefined ? at : Math.max(at, Date.parse(record.lastAccessedAt))
  head.current = {
    ...head.current,
    record: {
      ...record,
      accessCount: count === undefined ? record.accessCount + 1 : Math.max(record.accessCount, count),
      lastAccessedAt: formatInstant(last),
    },
  }
}

export function derive(state: State, derivations: readonly Derivation[], touched: readonly Touch[]): void {
  const stored = derivations.filter((derivation) => store(state, derivation))
  if (stored.length > 0) state.derived++
  for (const each of touched) touch(state, each)
}

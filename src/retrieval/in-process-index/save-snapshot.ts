import { randomUUID } from 'node:crypto'
import type { SnapshotPart, SnapshotState, SnapshotStore } from '../../contract/index.ts'
import type { Columns } from './columns.ts'
import { breather, type Follower } from './follow-log.ts'
import { FORMER, type IndexState } from './index-state.ts'
import { readHead, type SnapshotId } from './load-snapshot.ts'
import { Segment, type SegmentArrays } from './segment.ts'
import { encodeSegment } from './segment-bytes.ts'
import { encodeHead, headKey, livingBits, type SavedSegment, type SnapshotHead } from './snapshot-head.ts'

// Reading a change again costs about 16 µs: what is not worth a write takes a fraction of the time a process needs to start.
const ALWAYS_WORTH = 2_000
const NEVER_WORTH = 200
const SHARE_WORTH = 0.1

/** Whether a snapshot that lacks so many changes should be written anew. */
export function isWorthSaving(changes: number, size: number): boolean {
  return changes > ALWAYS_WORTH || (changes > NEVER_WORTH && changes > SHARE_WORTH * size)
}

/** A segment as it is at one moment. */
interface Captured {
  readonly number: number
  readonly segment: Segment
  readonly revision: number
  readonly saved: SavedSegment
  /** Null when the part is there already. */
  readonly content: { readonly arrays: SegmentArrays; readonly status: Columns['status'] } | null
}

/** What there was to go by before the log was read for the last time. */
export interface SnapshotBefore extends SnapshotState {
  /** Null when there is no snapshot that fits. */
  readonly head: SnapshotHead | null
}

export async function lookBefore(snapshots: SnapshotStore, id: SnapshotId): Promise<SnapshotBefore> {
  const state = await snapshots.state(id.name)
  return { ...state, head: await readHead(snapshots, id, state.epoch) }
}

/**
 * Writes what has changed since the last snapshot (IDX-14): as it is at the moment of the call, at which no change may be
 * half done; it may change meanwhile. When a record has been removed since `before`, nothing that holds it is written.
 * @returns false when it was not written to its end
 */
export async function saveSnapshot(
  follower: Follower,
  snapshots: SnapshotStore,
  id: SnapshotId,
  before: SnapshotBefore,
): Promise<boolean> {
  const { state, cursor, derived, changes } = follower
  const { generation, epoch, keys } = before
  // Made of analyses that have been renewed since: nobody must read it.
  if (cursor === null || derived === null || follower.epoch !== epoch) return false
  const captured = capture(state, new Set(keys))
  const segments = captured.map(({ saved }) => saved)
  const { arrivals } = state
  const { calibrations } = state.vectors
  const head: SnapshotHead = {
    analyser: id.analyser,
    epoch,
    cursor,
    derived,
    changes,
    arrivals,
    calibrations,
    segments,
  }
  const write = (part: SnapshotPart, only?: readonly string[]): Promise<boolean> =>
    snapshots.write(id.name, { generation, parts: [part], only })
  for (const { content, saved, number } of captured) {
    if (content === null) continue
    const { key, span } = saved
    const chunks = encodeSegment(state, number, await cleaned(content.arrays, content.status))
    if (!(await write({ key, span, chunks }))) return false
  }
  const only = segments.map(({ key }) => key)
  if (!(await write({ key: headKey, span: null, chunks: [encodeHead(head)] }, only))) return false
  for (const { segment, saved, revision } of captured) segment.saved = { key: saved.key, revision }
  follower.saved = changes
  state.vectors.know(calibrations)
  return true
}

/** At once: nothing must change in between. */
function capture(state: IndexState, present: ReadonlySet<string>): Captured[] {
  return state.segments.flatMap((segment, number) => {
    if (segment.count === 0 || segment.span === null) return []
    const { saved, revision, span } = segment
    const kept = saved !== null && saved.revision === revision && present.has(saved.key) ? saved.key : null
    const living = livingBits(segment.columns.status.subarray(0, segment.count))
    const content = kept === null ? { arrays: segment.sealedArrays(), status: statusToSave(state, number) } : null
    return [{ number, segment, revision, saved: { key: kept ?? randomUUID(), span, living }, content }]
  })
}

/**
 * Records that a later version follows stay: if that has to be made anew, it takes its place from them. One that was removed
 * does not, even when the id has come back: that has arrived anew.
 */
function statusToSave(state: IndexState, number: number): Columns['status'] {
  const { columns, count, ids } = state.segments[number]!
  const status = columns.status.slice(0, count)
  for (let place = 0; place < count; place++) {
    if (status[place] !== 0 || !ids.has(place)) continue
    const successor = state.slotOf(ids.at(place))
    if (successor !== undefined && state.arrivalOf(successor) === columns.arrival[place]) status[place] = FORMER
  }
  return status
}

/** The arrays with these statuses, and without a trace of records that have none. */
async function cleaned(arrays: SegmentArrays, status: Columns['status']): Promise<SegmentArrays> {
  const whole = { ...arrays, columns: { ...arrays.columns, status } }
  if (!status.includes(0)) return whole
  const breathe = breather()
  const former = new Segment(arrays)
  const clean = new Segment()
  for (let place = 0; place < former.count; place++) {
    if (status[place] === 0) {
      clean.appendNone()
      continue
    }
    const scope = arrays.columns.scope[place]!
    const kind = arrays.columns.kind[place]!
    const actor = arrays.columns.actor[place]!
    clean.append(former.recordAt(place), { scope, kind, actor })
    clean.columns.arrival[place] = arrays.columns.arrival[place]!
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  const made = clean.sealedArrays()
  return { ...made, columns: { ...made.columns, status } }
}

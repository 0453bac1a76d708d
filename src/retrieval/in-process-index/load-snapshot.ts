import type { MemoryStore, SnapshotStore } from '../../contract/index.ts'
import { type Follower, replay } from './follow-log.ts'
import type { IndexState } from './index-state.ts'
import type { LogSpan } from './segment.ts'
import { type DecodedSegment, decodeSegment } from './segment-bytes.ts'
import { applyLiving, decodeHead, headKey, type SavedSegment, type SnapshotHead } from './snapshot-head.ts'

/** Which snapshot: under which name, and whose analyses are in it. */
export interface SnapshotId {
  readonly name: string
  readonly analyser: string
}

type Source = Pick<MemoryStore, 'log' | 'get'>

export async function readHead(
  snapshots: SnapshotStore,
  { name, analyser }: SnapshotId,
  epoch: string,
): Promise<SnapshotHead | null> {
  const head = decodeHead(await snapshots.read(name, headKey))
  return head !== null && head.analyser === analyser && head.epoch === epoch ? head : null
}

/**
 * Fills a new follower from a snapshot, as far as there is one that fits (IDX-12). Parts that went, as a record of theirs
 * was removed, or that are damaged, are made anew from their stretch of the log.
 * @returns false when there is nothing to begin with: the log has to be read from its start
 */
export async function loadSnapshot(
  follower: Follower,
  source: Source,
  snapshots: SnapshotStore,
  id: SnapshotId,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { epoch, keys } = await snapshots.state(id.name, { signal })
  follower.epoch = epoch
  const head = await readHead(snapshots, id, epoch)
  if (head === null) return false
  const parts = partsOf(follower.state, snapshots, id)
  const present = head.segments.every(({ key }) => keys.includes(key))
  if (!present || !(await attachWhole(follower.state, parts, head))) {
    follower.state = follower.state.empty()
    await attachByAndBy(follower.state, { ...partsOf(follower.state, snapshots, id), source, signal }, head)
  }
  follower.state.vectors.know(head.calibrations)
  follower.cursor = head.cursor
  follower.derived = head.derived
  follower.changes = head.changes
  follower.saved = head.changes
  follower.state.arrivals = Math.max(follower.state.arrivals, head.arrivals)
  return true
}

interface Parts {
  /** Null for a part that is not there or not what it should be. */
  read(saved: SavedSegment): Promise<DecodedSegment | null>
  readonly compare: SnapshotStore['compare']
}

function partsOf(state: IndexState, snapshots: SnapshotStore, { name }: SnapshotId): Parts {
  return {
    async read({ key, span }) {
      const chunks = await snapshots.read(name, key)
      const decoded = chunks && decodeSegment(state, chunks)
      if (!decoded) return null
      const { segment } = decoded
      segment.span = span
      segment.saved = { key, revision: segment.revision }
      return decoded
    },
    compare: (a, b) => snapshots.compare(a, b),
  }
}

/** What lived is known from the head: no id has to be looked at. False when a part was not there after all. */
async function attachWhole(state: IndexState, parts: Parts, head: SnapshotHead): Promise<boolean> {
  for (const saved of head.segments) {
    const decoded = await parts.read(saved)
    if (decoded === null) return false
    applyLiving(decoded.segment.columns.status, saved.living)
    if (!attach(state, decoded, false)) return false
  }
  return true
}

/** Segments one after the other, each record in place of its former version, as if the log were read. */
async function attachByAndBy(
  state: IndexState,
  parts: Parts & { readonly source: Source; readonly signal: AbortSignal | undefined },
  head: SnapshotHead,
): Promise<void> {
  for (const unit of unitsOf(head.segments, parts.compare)) {
    const decoded = await Promise.all(unit.map((saved) => parts.read(saved)))
    const whole = decoded.every((one) => one !== null)
    if (whole && decoded.every((one) => attach(state, one, true))) continue
    await replay(state, spanOf(unit), parts.compare, parts.source, parts.signal)
  }
  state.killFormer()
}

/** False for vectors of other dimensions. */
function attach(state: IndexState, { segment, loadVectors }: DecodedSegment, succeeding: boolean): boolean {
  const number = state.attach(segment, succeeding)
  if (!loadVectors(number)) return false
  state.freeDead(number)
  return true
}

/** Segments that have a transaction in common can only be made anew together. */
function unitsOf(segments: readonly SavedSegment[], compare: SnapshotStore['compare']): SavedSegment[][] {
  const units: SavedSegment[][] = []
  for (const segment of segments) {
    const unit = units.at(-1)
    const { after } = segment.span
    if (unit !== undefined && (after === null || compare(after, unit.at(-1)!.span.until) < 0)) unit.push(segment)
    else units.push([segment])
  }
  return units
}

function spanOf(unit: readonly SavedSegment[]): LogSpan {
  return { after: unit[0]!.span.after, until: unit.at(-1)!.span.until }
}

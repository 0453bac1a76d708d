import { InputError } from '../../errors/index.ts'
import { blockRows, createKernel } from '../kernel/index.ts'
import { Arena } from './arena.ts'
import { ArenaRows } from './arena-rows.ts'
import { type TurnOptions, turns } from './in-turns.ts'
import { type ReadSegment, readBlock, readHead } from './segments.ts'
import type { ArenaOptions, VectorArena } from './vector-arena.ts'

const defaultFloatRows = 200_000

/** An empty arena. */
export function createVectorArena(options: ArenaOptions): VectorArena {
  return new Arena(emptyRows(options), options.calibration ?? null, [])
}

/**
 * The arena that was saved.
 * @param read answers a segment by its place; it is asked for one after the other, so that not all are in memory at once
 * @returns null when a segment is damaged, missing, of another version or of other dimensions: build the arena anew then
 */
export async function loadVectorArena(
  read: ReadSegment,
  options: Omit<ArenaOptions, 'calibration'> & TurnOptions,
): Promise<VectorArena | null> {
  const turn = turns(options)
  const first = await read(0)
  const head = first == null ? null : readHead(first)
  if (head === null || head.dimensions !== options.dimensions) return null
  const rows = emptyRows(options)
  rows.restore(head.rows)
  for (let block = 0; block * blockRows < head.rows; block++) {
    const bytes = await read(block + 1)
    if (bytes == null || !readBlock(rows, head, block, bytes)) return null
    if (turn.isOver) await turn.pause()
  }
  rows.restored()
  return new Arena(rows, head.calibration, head.sums)
}

function emptyRows({ dimensions, kernel, floatRows = defaultFloatRows }: Omit<ArenaOptions, 'calibration'>): ArenaRows {
  requireDimensions(dimensions)
  return new ArenaRows(createKernel(kernel), dimensions, floatRows === 'all' ? Number.POSITIVE_INFINITY : floatRows)
}

// Codes of longer vectors would leave the query less than ten bits.
const mostDimensions = 16_384

function requireDimensions(dimensions: number): void {
  if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= mostDimensions) return
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `dimensions: ${dimensions} is not a whole number from 1 to ${mostDimensions}.`,
    details: { dimensions },
  })
}

import { InputError } from '../../errors/index.ts'
import { createKernel } from '../kernel/index.ts'
import { Arena } from './arena.ts'
import { ArenaRows } from './arena-rows.ts'
import { readBlocks, readHead } from './segments.ts'
import type { ArenaOptions, VectorArena } from './vector-arena.ts'

const defaultFloatRows = 200_000

/** An empty arena. */
export function createVectorArena(options: ArenaOptions): VectorArena {
  return new Arena(emptyRows(options), options.calibration ?? null, [])
}

/**
 * The arena that was saved.
 * @param segments by place
 * @returns null when a segment is damaged, missing, of another version or of other dimensions: build the arena anew then
 */
export function loadVectorArena(
  segments: readonly Uint8Array[],
  options: Omit<ArenaOptions, 'calibration'>,
): VectorArena | null {
  const head = readHead(segments)
  if (head === null || head.dimensions !== options.dimensions) return null
  const rows = emptyRows(options)
  return readBlocks(rows, head, segments) ? new Arena(rows, head.calibration, head.sums) : null
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

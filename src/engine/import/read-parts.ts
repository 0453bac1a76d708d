import { createHash } from 'node:crypto'
import { turns } from '../../vector/index.ts'
import { checkPayload } from '../payloads.ts'
import { type PortableLine, parseHead, parseLine, reasonOf } from '../portable-lines.ts'
import type { Lines } from './lines.ts'

export interface Row {
  /** 1 for the first line. */
  readonly row: number
  /** Null when it can't be used. */
  readonly line: PortableLine | null
  readonly reason?: string
}

/** A stretch of a file, small enough to be held in memory and written in one transaction. */
export interface Part {
  readonly rows: readonly Row[]
  /** UTF-16 units of its lines. */
  readonly length: number
  /** Of the file up to its end. */
  readonly digest: string
}

const mostRows = 2000
const mostLength = 8 * 2 ** 20

function rowOf(row: number, text: string): Row {
  try {
    const line = parseLine(text)
    if (line.type === 'record') checkPayload(line.record)
    return { row, line }
  } catch (error) {
    return { row, line: null, reason: reasonOf(error) }
  }
}

/**
 * Every row, read and checked by itself; the same parts whenever the same lines are read, at least one.
 * @throws InputError when the text is no export of ours
 */
export async function* readParts(lines: Lines, signal: AbortSignal | undefined): AsyncGenerator<Part> {
  const hash = createHash('sha256')
  const turn = turns({ signal })
  let number = 0
  let rows: Row[] = []
  let length = 0
  const part = (): Part => ({ rows, length, digest: hash.copy().digest('base64url') })
  for await (const texts of lines.read()) {
    signal?.throwIfAborted()
    for (const text of texts) {
      if (turn.isOver) await turn.pause()
      number++
      hash.update(text).update('\n')
      length += text.length
      if (number === 1) parseHead(text.replace(/^\uFEFF/, ''))
      else if (text.trim() !== '') rows.push(rowOf(number, text))
      if (rows.length < mostRows && length < mostLength) continue
      yield part()
      rows = []
      length = 0
    }
  }
  if (number === 0) parseHead(undefined)
  yield part()
}

import { styleText } from 'node:util'
import { visible } from './visible.ts'
import { cutToWidth, displayWidth } from './width.ts'

/** What a piece of text means, which is what decides its colour. */
export type Tone = 'dim' | 'bold' | 'good' | 'bad'

export interface Span {
  readonly text: string
  readonly tone: Tone
}

export type Cell = string | Span

/** A line of output. It is cut to the terminal's width unless it is to be read in full. */
export interface Line {
  readonly cells: readonly Cell[]
  readonly whole?: boolean
}

/** How lines are to be drawn. */
export interface Canvas {
  /** Infinity where nothing is to be cut. */
  readonly columns: number
  readonly colours: boolean
}

const colours = { dim: 'dim', bold: 'bold', good: 'green', bad: 'red' } as const

export function line(...cells: readonly Cell[]): Line {
  return { cells }
}

/** A line that is shown whole, however long. */
export function wholeLine(...cells: readonly Cell[]): Line {
  return { cells, whole: true }
}

export const dim = (text: string): Span => ({ text, tone: 'dim' })
export const bold = (text: string): Span => ({ text, tone: 'bold' })
export const good = (text: string): Span => ({ text, tone: 'good' })
export const bad = (text: string): Span => ({ text, tone: 'bad' })

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

function paint(cell: Cell, text: string, canvas: Canvas): string {
  if (!canvas.colours || typeof cell === 'string' || text === '') return text
  // The stream is judged by the caller: NO_COLOR, and terminals only.
  return styleText(colours[cell.tone], text, { validateStream: false })
}

/** Every cell goes through `visible` here, so that no text can drive the terminal, whoever made the line. */
function draw({ cells, whole }: Line, canvas: Canvas): string {
  let left = whole ? Number.POSITIVE_INFINITY : canvas.columns
  let drawn = ''
  for (const cell of cells) {
    if (left <= 0) break
    const shown = visible(textOf(cell))
    const text = left === Number.POSITIVE_INFINITY ? shown : cutToWidth(shown, left)
    if (left !== Number.POSITIVE_INFINITY) left -= displayWidth(text)
    drawn += paint(cell, text, canvas)
  }
  return canvas.colours ? drawn : drawn.trimEnd()
}

export function drawLines(lines: readonly Line[], canvas: Canvas): string {
  return lines.map((each) => `${draw(each, canvas)}\n`).join('')
}

/** Rows in columns; the last column is not padded. `right` names the columns whose numbers are flush right. */
export function table(rows: readonly (readonly Cell[])[], right: readonly number[] = []): Line[] {
  const shown = rows.map((row) => row.map((cell) => ({ cell, text: visible(textOf(cell)) })))
  const widths: number[] = []
  for (const row of shown) {
    row.forEach(({ text }, i) => {
      widths[i] = Math.max(widths[i] ?? 0, displayWidth(text))
    })
  }
  return shown.map((row) =>
    line(
      ...row.flatMap(({ cell, text }, i): Cell[] => {
        const padding = ' '.repeat((widths[i] ?? 0) - displayWidth(text))
        const gap = i === row.length - 1 ? '' : '  '
        const kept: Cell = typeof cell === 'string' ? text : { text, tone: cell.tone }
        if (right.includes(i)) return [padding, kept, gap]
        return gap === '' ? [kept] : [kept, padding + gap]
      }),
    ),
  )
}

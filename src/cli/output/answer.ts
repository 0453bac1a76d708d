import type { CliIo, Printer } from '../io.ts'
import type { Asked } from './asked.ts'
import { type Canvas, dim, drawLines, type Line, line } from './lines.ts'
import { safeJson } from './visible.ts'

export const outputModes = ['text', 'json', 'jsonl'] as const
export type OutputMode = (typeof outputModes)[number]

/** An answer for people. */
export interface Rendering {
  readonly lines: readonly Line[]
  /** What is about the answer and not of it, such as how to get more: on stderr. */
  readonly notes?: readonly string[]
}

/** How an answer of this kind looks to people. */
export type Renderer<Answer> = (answer: Answer, asked: Asked) => Rendering

/** Where a run writes. */
export interface Output {
  readonly mode: OutputMode
  readonly out: Printer
  readonly err: Printer
  readonly canvas: Canvas
  readonly errCanvas: Canvas
}

function colours(io: CliIo, isTerminal: boolean): boolean {
  return isTerminal && !io.env.NO_COLOR && io.env.TERM !== 'dumb'
}

/** Colours and a width for terminals, neither for pipes and files. */
export function canvasOf(io: CliIo, stream: 'stdout' | 'stderr'): Canvas {
  const isTerminal = io.isTerminal[stream]
  return {
    columns: isTerminal ? Math.max(20, io.columns || 80) : Number.POSITIVE_INFINITY,
    colours: colours(io, isTerminal),
  }
}

/** Says something beside the answer; only people are told. */
export async function note({ mode, err, errCanvas }: Output, ...texts: readonly string[]): Promise<void> {
  if (mode !== 'text') return
  await err.write(
    drawLines(
      texts.map((text) => ({ ...line(dim(text)), whole: true })),
      errCanvas,
    ),
  )
}

const lists = ['results', 'records', 'links', 'changes', 'rows', 'problems', 'checks', 'entries', 'namespaces'] as const

/** The items of an answer that is a list, one a line; the answer itself when it is none (CLI-5). */
export function itemsOf(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer
  if (typeof answer !== 'object' || answer === null) return [answer]
  const found = lists.map((name) => (answer as Record<string, unknown>)[name]).filter(Array.isArray)
  return found.length > 0 ? found.flat() : [answer]
}

/** Prints an answer the way that was asked for. */
export async function printAnswer(output: Output, answer: unknown, render: () => Rendering): Promise<void> {
  const { mode, out, canvas } = output
  if (mode === 'json') {
    const indent = canvas.columns === Number.POSITIVE_INFINITY ? undefined : 2
    await out.write(`${safeJson(JSON.stringify(answer, null, indent))}\n`)
  } else if (mode === 'jsonl') {
    const items = itemsOf(answer)
    for (const item of items) await out.write(`${safeJson(JSON.stringify(item))}\n`)
    // Items have no place for what all of them lack.
    const { degraded } = Object(answer) as { readonly degraded?: unknown }
    if (Array.isArray(degraded) && items[0] !== answer) {
      await output.err.write(`${safeJson(JSON.stringify({ degraded }))}\n`)
    }
  } else {
    const { lines, notes = [] } = render()
    await out.write(drawLines(lines, canvas))
    await note(output, ...notes)
  }
}

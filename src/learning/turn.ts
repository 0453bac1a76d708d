import { findMemoryBlocks, sentences } from '../text/index.ts'
import { isBoilerplate } from './boilerplate.ts'
import type { Span } from './find-quote.ts'
import type { Message } from './message.ts'

/**
 * Why a message, or a part of it, taught nothing:
 * - `empty`: it has no text.
 * - `system`: a system prompt says how to answer, not what is so.
 * - `boilerplate`: greetings, thanks, apologies, what assistants say of themselves.
 * - `tool-output`: data of a tool: JSON, tables, logs, listings; JSON alone that an assistant wrote.
 * - `recalled`: it came out of this memory, word for word or in others.
 * - `duplicate`: it was said before, in this call or, at the same time, in an earlier one.
 * - `contradicted`: somebody more trusted says otherwise in the same call.
 * - `nothing`: no fact was found in it, and turns are not kept.
 * - `failed`: the model failed, and `onFailure` is `drop`.
 */
export type IgnoreReason =
  | 'empty'
  | 'system'
  | 'boilerplate'
  | 'tool-output'
  | 'recalled'
  | 'duplicate'
  | 'contradicted'
  | 'nothing'
  | 'failed'

/** A message, as far as there is something to learn in it. */
export interface Turn extends Message {
  /** The position of its message, from 0. */
  readonly position: number
  /** What it says beside memories that were rendered for a model: `content` without them, or with parts blanked out. */
  readonly text: string
}

export interface IgnoredMessage {
  readonly position: number
  readonly reason: IgnoreReason
  /** Of a message that is learnt from otherwise, what of its text is not: no span, all of it. */
  readonly span?: Span
}

/** A tool that answers more than this, in characters, or in more sentences, answers with data. */
const longestToolText = 1500
const mostToolSentences = 20

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    // Cut off, or several of them, as logs are.
    return /^\s*[[{]\s*["[{\]}]/.test(text)
  }
}

/** Whether what a tool answered is data and not something said. */
function isToolOutput(text: string): boolean {
  if (text.length > longestToolText || isJson(text)) return true
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > mostToolSentences || sentences(text).length > mostToolSentences) return true
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const others = text.match(/[^\p{L}\s]/gu)?.length ?? 0
  return letters < others * 2 || /^\s*(?:<\?xml|<!doctype|<html|<svg|diff --git|Traceback \(most)/i.test(text)
}

function reasonToIgnore(message: Message, text: string): IgnoreReason | null {
  if (message.content.trim() === '') return 'empty'
  if (message.role === 'system') return 'system'
  if (text.trim() === '') return 'recalled'
  if (message.role === 'tool' && isToolOutput(text)) return 'tool-output'
  // The arguments of a call, written out.
  if (message.role === 'assistant' && isJson(text)) return 'tool-output'
  return isBoilerplate(text, message.role) ? 'boilerplate' : null
}

const ownTexts = new WeakMap<object, { readonly content: string; readonly own: string }>()

/** What a message says beside memories that were rendered for a model. It is asked for with each quotation, and looked for once. */
export function ownText(message: Pick<Message, 'content'>): string {
  const { content } = message
  const known = ownTexts.get(message)
  if (known?.content === content) return known.own
  const own = findMemoryBlocks(content).outside
  ownTexts.set(message, { content, own })
  return own
}

/** Sorts out what teaches nothing whatever is known (GRD-1 to GRD-3). */
export function readTurns(messages: readonly Message[]): {
  readonly turns: readonly Turn[]
  readonly ignored: readonly IgnoredMessage[]
} {
  const turns: Turn[] = []
  const ignored: IgnoredMessage[] = []
  const said = new Map<string, string>()
  for (const [position, message] of messages.entries()) {
    const text = ownText(message)
    // Without times only the same words twice in a row are a repetition: `Bonn`, `Kiel`, `Bonn` are three statements.
    const speaker = JSON.stringify([message.role, message.name, message.at])
    const reason = reasonToIgnore(message, text) ?? (said.get(speaker) === text ? 'duplicate' : null)
    said.set(speaker, text)
    if (reason === null) turns.push({ ...message, position, text })
    else ignored.push({ position, reason })
  }
  return { turns, ignored }
}

/** The turn without parts of its text, which come in order and apart: what is left stands where it stood. */
export function blanked(turn: Turn, spans: readonly Span[]): Turn {
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of spans) {
    pieces.push(turn.text.slice(from, start), ' '.repeat(end - start))
    from = end
  }
  return { ...turn, text: pieces.join('') + turn.text.slice(from) }
}

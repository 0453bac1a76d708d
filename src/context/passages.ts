import { sentences } from '../text/index.ts'

/** A piece of a text that is kept or left out as a whole: a sentence, a heading, a row of a table, a piece of code. */
export interface Passage {
  /** As it stands in the text, with the indentation and the bullet of its line. */
  readonly text: string
  /** What stands before it, when the passage before it is kept too: spaces, or line breaks. */
  readonly before: string
  readonly line: number
  readonly paragraph: number
  readonly kind: 'sentence' | 'heading' | 'table-head' | 'table-row' | 'code' | 'rule'
  /** The heading or the head of the table that it stands under. */
  readonly under: number | undefined
}

/** A block of code of more lines is kept line by line, without its fence. */
const wholeFence = 40

const headingLine = /^ {0,3}#{1,6}(?:\s|$)/
const fenceLine = /^\s*(`{3,}|~{3,})/
const ruleLine = /^\s*(?:[-=*_~]\s*){3,}$/
const tableLine = /^\s*\|.*\|\s*$/
// For a line without white space around it: beside each other, two of them would be tried at every place.
const tableRule = /^(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/

const bulletLine = /^\s*(?:[-*+•]|\d{1,9}[.)])\s/
const sentenceEnd = /[.!?…:;。！？｡]["'”’»)\]*_]*\s*$/
/** Lines of wrapped prose are at least so long. */
const wrapped = 50

/** Whether prose that began with the line `first` goes on from one line to the next: it was wrapped. */
function goesOn(first: string, line: string, next: string): boolean {
  if (line.length < wrapped || next.trim() === '' || sentenceEnd.test(line)) return false
  if ([headingLine, fenceLine, ruleLine, tableLine, bulletLine].some((other) => other.test(next))) return false
  // Code is indented; a wrapped item of a list is indented too.
  return !/^(?: {4}|\t)/.test(next) || bulletLine.test(first)
}

/** The line after the fence that begins at `from`; undefined for one that is not closed. */
function fenceEnd(lines: readonly string[], from: number): number | undefined {
  const mark = fenceLine.exec(lines[from] as string)?.[1] as string
  for (let i = from + 1; i < lines.length; i++) {
    const closing = fenceLine.exec(lines[i] as string)?.[1]
    if (closing?.startsWith(mark) && (lines[i] as string).trim() === closing) return i + 1
  }
  return undefined
}

/** The passages of a text, in order. Joined by their `before`, they are the text but for white space around lines. */
export function passagesOf(text: string): Passage[] {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/)
  const passages: Passage[] = []
  let paragraph = 0
  let heading: number | undefined
  let tableHead: number | undefined
  // A fence that is never closed is looked for once.
  let unclosed = false

  const add = (text: string, line: number, kind: Passage['kind'], before: string, under = heading): void => {
    passages.push({ text, before, line, paragraph, kind, under })
  }

  for (let i = 0; i < lines.length; ) {
    const line = lines[i] as string
    if (line.trim() === '') {
      paragraph++
      tableHead = undefined
      i++
      continue
    }
    const last = passages.at(-1)
    const before = last === undefined ? '' : last.paragraph < paragraph ? '\n\n' : '\n'
    const end: number | undefined = fenceLine.test(line) && !unclosed ? fenceEnd(lines, i) : undefined
    unclosed ||= fenceLine.test(line) && end === undefined
    if (end !== undefined && end - i <= wholeFence) {
      add(lines.slice(i, end).join('\n'), i, 'code', before)
      i = end
      continue
    }
    if (end !== undefined) {
      for (let code = i + 1; code < end - 1; code++) {
        if ((lines[code] as string).trim() !== '')
          add((lines[code] as string).trimEnd(), code, 'code', code === i + 1 ? before : '\n')
      }
      i = end
      continue
    }
    if (headingLine.test(line)) {
      heading = undefined
      add(line.trim(), i, 'heading', before)
      heading = passages.length - 1
      tableHead = undefined
    } else if (ruleLine.test(line) && !tableLine.test(line)) {
      add(line.trim(), i, 'rule', before)
    } else if (tableLine.test(line)) {
      const isHead = tableHead === undefined && i + 1 < lines.length && tableRule.test((lines[i + 1] as string).trim())
      if (isHead) {
        add(`${line.trim()}\n${(lines[i + 1] as string).trim()}`, i, 'table-head', before)
        tableHead = passages.length - 1
        i += 2
        continue
      }
      add(line.trim(), i, 'table-row', before, tableHead ?? heading)
    } else {
      const from = i
      while (i + 1 < lines.length && goesOn(line, lines[i] as string, lines[i + 1] as string)) i++
      const prose = lines.slice(from, i + 1).join('\n')
      // As long as the text itself: what is found in it is cut from there.
      const unbroken = prose.replaceAll('\n', ' ')
      let at = 0
      for (const [position, sentence] of sentences(unbroken).entries()) {
        const start = unbroken.indexOf(sentence, at)
        const end = start + sentence.length
        if (position === 0) add(prose.slice(at, end), from, 'sentence', before)
        else add(prose.slice(start, end), from, 'sentence', prose.slice(at, start))
        at = end
      }
    }
    i++
  }
  return passages
}

/** The passages at some places, in their order, as one text: with what stood between neighbours, and a line break or a space where something is left out. */
export function joinPassages(passages: readonly Passage[], places: readonly number[]): string {
  let text = ''
  let last: Passage | undefined
  for (const place of places) {
    const passage = passages[place] as Passage
    if (last === undefined) text = passage.text
    else if (last.paragraph < passage.paragraph) text += `\n\n${passage.text}`
    else if (last.line < passage.line) text += `\n${passage.text}`
    else text += passage.before + passage.text
    last = passage
  }
  return text
}

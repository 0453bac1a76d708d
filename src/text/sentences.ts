// Never the end of a sentence: titles and abbreviations that introduce something. English, then German.
const introducing = new Set(
  `mr mrs ms dr prof st vs e.g i.e cf fig no vol pp approx dept
hr fr z.b d.h u.a s.o s.u bzw ca nr str evtl ggf vgl inkl zzgl`.split(/\s+/),
)

// The end of a sentence only when a capital follows.
const trailing = new Set(`etc inc ltd co corp jr sr a.m p.m u.s usw v.chr n.chr`.split(/\s+/))

const germanMonths = /^(januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)/i

const openers = '"\'“”„‘’«»‹›()[]*_'
const closersAndEnds = '"\'”“’»«)]*_」』）】.!?…。！？'

/**
 * The sentences of a text, in order, without the white space around them. Ends are `.`, `!`, `?` and `…` before white space,
 * the full stops of Chinese and Japanese, and line breaks; not the dots of abbreviations (English, German), initials,
 * ordinals ("8. Mai") and list numbers. Nothing but white space is lost (SPEC TXT-12).
 */
export function sentences(text: string): string[] {
  const found: string[] = []
  for (const untrimmed of text.split(/[\r\n\u2028\u2029]+/)) {
    const line = untrimmed.trim()
    let start = 0
    for (let i = 0; i < line.length; i++) {
      const wide = '。！？｡'.includes(line[i]!)
      if (!wide && !'.!?…'.includes(line[i]!)) continue
      let end = i + 1
      while (end < line.length && closersAndEnds.includes(line[end]!)) end++
      const next = nextWordStart(line, end)
      if (wide || next < 0 || (next > end && !continues(line, start, i, end, next))) {
        push(found, line.slice(start, end))
        start = next < 0 ? line.length : next
      }
      i = end - 1
    }
    push(found, line.slice(start))
  }
  return found
}

function push(found: string[], sentence: string): void {
  const trimmed = sentence.trim()
  if (trimmed !== '') found.push(trimmed)
}

/** Where the text goes on after white space from `from`; `from` itself where there is none, -1 at the end of the line. */
function nextWordStart(line: string, from: number): number {
  let i = from
  while (i < line.length && /\s/.test(line[i]!)) i++
  return i === line.length ? -1 : i
}

/** Whether the sentence goes on at `next` in spite of the mark at `dot` and the closing characters up to `end`. */
function continues(line: string, start: number, dot: number, end: number, next: number): boolean {
  if (end > dot + 1 || line[dot] === '…')
    return /(?:["'”“’»]|\.\.|…)$/.test(line.slice(dot, end)) && /^\p{Ll}/u.test(line.slice(next, next + 2))
  if (line[dot] !== '.') return false
  let from = dot
  // Bounded: no abbreviation is longer, and a word without end must not be read again at each of its dots.
  while (from > start && dot - from < 16 && !/\s/.test(line[from - 1]!)) from--
  const word = stripOpeners(line.slice(from, dot))
  const following = stripOpeners(line.slice(next, next + 16))
  if (/^\d{1,3}$/.test(word)) {
    return from === start || germanMonths.test(following) || /^\p{Ll}/u.test(following)
  }
  if (/^\p{Lu}$/u.test(word) && word !== 'I') return true
  const lower = word.toLowerCase()
  return introducing.has(lower) || (trailing.has(lower) && !/^\p{Lu}/u.test(following))
}

function stripOpeners(word: string): string {
  let i = 0
  while (i < word.length && openers.includes(word[i]!)) i++
  return word.slice(i)
}

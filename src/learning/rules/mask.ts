/** Stands for each character that is not the speaker's own words; no letter of any language. */
export const blank = '\u25a1'

const blanks = (text: string): string => text.replace(/[^\r\n]/g, blank)

/** Between two marks, on several lines too; to the end where the second mark is missing. */
function maskBlocks(text: string, open: RegExp, close: (opened: string) => string): string {
  let out = ''
  let from = 0
  for (;;) {
    open.lastIndex = from
    const match = open.exec(text)
    if (match === null) return out + text.slice(from)
    const mark = close(match[0])
    const closed = text.indexOf(mark, match.index + match[0].length)
    const until = closed < 0 ? text.length : closed + mark.length
    out += text.slice(from, match.index) + blanks(text.slice(match.index, until))
    from = until
  }
}

/** Lines that people paste and do not write: quotes of mail, code, logs, JSON, tables, what somebody says in a transcript. */
const pastedLine = new RegExp(
  [
    '^\\s*>',
    '^(?: {4}|\\t)',
    '^\\s*[{}\\[\\]|]',
    '^\\s*"[^"]{1,80}"\\s*:',
    '^\\s*[\\w.-]{1,40}\\s*=\\s*\\S',
    '^\\s*\\[?\\d{4}-\\d\\d-\\d\\d[T ,]',
    '^\\s*\\[?\\d{1,2}[:/]\\d{1,2}[:/]?\\d{0,4}',
    '^\\s*\\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\\b',
    '^\\s*(?:at \\S+\\(|import |export |const |let |var |def |class |function |return |SELECT |INSERT |\\$ |# ?include|//|/\\*|<!--)',
    ';\\s*$',
  ].join('|'),
)

/** `Tom: I live in Rome`, but not `Update: I moved`. */
const speakerLine = /^\s*(?:[-*\u2022]\s*)?\p{L}[\p{L}\p{N} .'_-]{0,24}:\s/u

const letterHead = /^\s*(?:from|to|cc|subject|sent|date|reply-to)\s*:/i

function maskLines(text: string, isOwnLabel: (line: string) => boolean): string {
  let letter = false
  return text
    .split(/(\r\n|[\r\n\u2028\u2029])/)
    .map((line, i) => {
      if (i % 2 === 1) return line
      const head = line.slice(0, 200)
      letter ||= letterHead.test(head) || /^\s*-{3,} ?(?:original|forwarded|begin)/i.test(head)
      const foreign = letter || pastedLine.test(line.length > 2000 ? head : line)
      return foreign || (speakerLine.test(head) && !isOwnLabel(head)) ? blanks(line) : line
    })
    .join('')
}

const closers: Readonly<Record<string, string>> = {
  '"': '"',
  '\u201c': '\u201d',
  '\u201e': '\u201c',
  '\u00ab': '\u00bb',
  '\u2018': '\u2019',
}

/** Quotations, but for a word or a few: those are names and titles (`my dog is called "Rex"`). */
function maskQuotations(text: string): string {
  let out = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const close = closers[text[i]!] ?? (isOpeningApostrophe(text, i) ? "'" : undefined)
    // 6' 2" is no quotation.
    if (close === undefined || (text[i] === '"' && /\d/.test(text[i - 1] ?? ''))) continue
    const end = endOfQuotation(text, i + 1, close)
    if (end < 0) {
      if (close === "'" || text[i] === '\u2018') continue
      // Never closed: to the end of the line.
      const line = text.slice(i).search(/[\r\n]/)
      const until = line < 0 ? text.length : i + line
      out += text.slice(from, i) + blanks(text.slice(i, until))
      from = until
      i = until - 1
      continue
    }
    const inside = text.slice(i + 1, end)
    if (!isTitle(inside)) {
      out += text.slice(from, i) + blanks(text.slice(i, end + 1))
      from = end + 1
    }
    i = end
  }
  return out + text.slice(from)
}

function isOpeningApostrophe(text: string, at: number): boolean {
  return text[at] === "'" && /^$|[\s(:,]/.test(text[at - 1] ?? '') && /\p{L}/u.test(text[at + 1] ?? '')
}

const longestQuotation = 20_000

function endOfQuotation(text: string, from: number, close: string): number {
  const limit = Math.min(text.length, from + longestQuotation)
  for (let end = text.indexOf(close, from); end >= 0 && end < limit; end = text.indexOf(close, end + 1)) {
    // An apostrophe inside of a word closes nothing.
    const apostrophe = (close === "'" || close === '\u2019') && /[\p{L}\p{N}]/u.test(text[end + 1] ?? '')
    if (!apostrophe) return end
  }
  return -1
}

function isTitle(quoted: string): boolean {
  return (
    quoted.length <= 40 &&
    quoted.trim().split(/\s+/).length <= 4 &&
    !/(?:^|\s)(?:i|i['\u2019]m|my|we|you)(?:\s|$)/i.test(quoted)
  )
}

/**
 * A message with everything blanked, character by character, that is not said by its writer: code, quoted lines, pasted logs and
 * letters, marked-up blocks, quotations. What is left keeps its place. Linear in the length.
 */
export function maskForeign(text: string, isOwnLabel: (line: string) => boolean): string {
  let masked = maskBlocks(text, /```|~~~/g, (mark) => mark)
  masked = maskBlocks(masked, /<[a-z][\w-]{0,40}(?:\s[^<>]{0,200})?>/gi, (tag) => `</${/[\w-]+/.exec(tag)![0]}>`)
  masked = masked.replace(/`[^`\r\n]*`/g, blanks)
  return maskQuotations(maskLines(masked, isOwnLabel))
}

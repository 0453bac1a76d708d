import type { Clause, Reading, Rule } from '../rule-language.ts'
import { readWhen, whenWords, withClock, withoutTime } from './dates.ts'
import { relationWords } from './relations.ts'

const monthsOnly =
  /^(?:(?:on )?(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,? (?:19|20)\d\d)?|(?:on )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (?:the )?\d{1,2}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?|(?:on )?(?:19|20)\d\d-\d\d-\d\d)$/i

function birthday(rest: string): Reading | null {
  const value = rest
    .replace(/[.!,]+$/, '')
    .replace(/,? (?:and|so|but|because) .*$/i, '')
    .replace(/ (?:in|at) \p{Lu}.*$/u, '')
    .trim()
  return monthsOnly.test(value)
    ? { attribute: 'birthday', value: value.replace(/^on /i, '').replace(/^the /i, '') }
    : null
}

const isPlanVerb =
  /^I (?:am (?:going (?:to|on|out|back)|flying|travell?ing|visiting|moving|leaving|starting|getting|meeting|having|seeing|running|giving|taking|attending|hosting|driving|heading|presenting|speaking|throwing|celebrating|returning|coming back|picking up|interviewing|turning|due|off to|on (?:holiday|vacation|leave|call)|sitting|doing|playing|performing|defending|launching|retiring|graduating|expecting|booked|hiking|sailing|racing|competing)|will (?:be|fly|travel|visit|go|move|start|leave|attend|meet|have|take|turn|run|graduate|get)|fly|leave|start|have (?:a|an|my|the|two|three|dinner|lunch|breakfast|drinks|tickets|booked|surgery|exams?|jury)|have got (?:a|an|my)|turn \d|graduate|travel|arrive|present|defend|move|return|get married|need to (?:renew|pay|submit|file|pick up|return|be (?:at|in)))\b/i
const noPlan =
  /\b(?:(?<!\d(?:st|nd|rd|th)? )may(?!\b(?: \d|,| and|$))|might|could|would|should|maybe|probably|perhaps|hopefully|not sure|thinking|considering|hoping|or (?:on|in)|depends|depending|planning on maybe|try to|problem|question|issue|errors?|script|query|command|server|build|tests|messages?|headache|feeling|bug|idea|no |never|not |crazy|insane|to die|too far|a hard time|a bad day|a good day|trouble|fun|a cold|the flu|a fever)\b/i

const lasts =
  /^I am (?:going on|driving (?!to\b|up\b|down\b|home\b|back\b|from\b)|doing|taking|playing|running|having|sitting|getting)/i

const anotherDay =
  /\b(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|january|february|april|june|july|august|september|october|november|december|tomorrow|(?:next|last) (?:week|month|year))\b/i

const verbForms: Readonly<Record<string, string>> = {
  am: 'is',
  have: 'has',
  will: 'will',
  fly: 'flies',
  get: 'gets',
  need: 'needs',
}

/** `{who} is flying to Rome (3 June, 2026)`. */
function planSentence(what: string, when: string): string {
  const told = what.replace(/^I (\p{L}+)/u, (_, verb: string) => `{who} ${verbForms[verb.toLowerCase()] ?? `${verb}s`}`)
  return `${inThirdPerson(told)} (${when})`
}

/** What somebody says of themselves, as it is said of them. */
export const inThirdPerson = (text: string): string =>
  text
    .replace(/\b(?:my|our)\b/gi, 'their')
    .replace(/\b(?:myself|ourselves)\b/gi, 'themselves')
    .replace(/(?<!\bthe )\b(?:me|us)\b/g, 'them')
    .replace(/\bI am\b/g, 'they are')
    .replace(/\b(?:I|we)\b/g, 'they')

function plan(text: string, { said }: Clause): Reading | null {
  const told = readWhen(text, said, 'future')
  if (told === null) return null
  const { text: what, eventTime } = withClock(withoutTime(text, told), told.eventTime, said.zone)
  if (
    anotherDay.test(what) ||
    /\b(?:it|this|that|you|your)\b/i.test(what) ||
    /\b(?:until|till|since|by|before|after|to|from)$/i.test(text.slice(0, told.start).trimEnd()) ||
    /^ ?(?:the )?\d/.test(text.slice(told.end))
  )
    return null
  if (noPlan.test(what) || what.split(' ').length > 22) return null
  // `I'm driving a rental car this week` is so now.
  if (/^this (?:week|month|year)\b/i.test(text.slice(told.start).trimStart()) && lasts.test(what)) return null
  if (Date.parse(eventTime.start) < said.at - 8 * 86_400_000) return null
  const value = what
    .replace(
      /^I (?:am|will|have got|have|need to) (?:going to (?=(?:visit|fly|travel|move|start|meet|attend|run|be|see|have|get|take)\b))?/i,
      '',
    )
    .replace(/^I /i, '')
    .replace(/^(?:a|an|my|the|be) (?=\S)/i, '')
    .replace(/[,.!]+$/, '')
    .replace(/,? (?:because|since|so|and i|and then) .*$/i, '')
    .replace(/[,:;\u2013\u2014(].*$/, '')
    .trim()
  if (value.split(' ').length < 1 || value.length < 3) return null
  const whole = what.replace(/,? (?:because|since|so|and i|and then) .*$/i, '').replace(/[,:;\u2013\u2014(.!].*$/, '')
  return { attribute: 'plan', value, eventTime, says: planSentence(whole, whenWords(eventTime)) }
}

const events =
  "appointment|exam|interview|wedding|flight|surgery|operation|meeting|presentation|conference|concert|trip|holiday|vacation|party|deadline|check-?up|dentist|marathon|race|graduation|anniversary|due date|start date|last day|first day|thesis defen[cs]e|viva|hearing|test|match|game|recital|reunion|funeral|christening|move|driving test|job interview|visa|contract|lease|mot|performance|show|class|course|finals?|doctor'?s appointment|housewarming"

/** Birthdays. */
export const birthdayRules = (): readonly Rule[] => [
  {
    pattern: new RegExp(
      String.raw`^my (?:[a-z]+ )?(?:${relationWords}),? (?<who>\p{L}[\p{L}-]+)(?:'s|s') birthday is (?:on )?(?<rest>.+)$`,
      'iu',
    ),
    read({ who = '', rest = '' }) {
      const day = birthday(rest)
      return day === null || !/^\p{Lu}/u.test(who) ? null : { ...day, about: who }
    },
  },
  {
    pattern:
      /^(?:my birthday is|I was born|my (?:date of birth|dob|bday) is|I celebrate my birthday) ?(?:on )?(?<rest>.+)$/i,
    read({ rest = '' }, { text, said }) {
      const direct = birthday(rest)
      if (direct !== null) return direct
      const year = /^(?:in )?(?<year>(?:19|20)\d\d)$/.exec(rest)?.groups?.year
      if (year !== undefined && /born/i.test(text)) return { attribute: 'birthyear', value: year }
      if (!/^(?:today|tomorrow|yesterday)$/i.test(rest)) return null
      const told = readWhen(rest, said, /yesterday/i.test(rest) ? 'past' : 'future')!
      const date = new Date(Date.parse(told.eventTime.start) + 12 * 3_600_000)
      return {
        attribute: 'birthday',
        value: `${date.getUTCDate()} ${date.toLocaleString('en-US', { month: 'long', timeZone: 'UTC' })}`,
      }
    },
  },
]

/** What is to take place, with its time. */
export const planRules = (): readonly Rule[] => [
  {
    pattern: new RegExp(
      String.raw`^my (?<what>(?:[\p{L}'-]+ ){0,3}?(?:${events})(?: (?:with|at|for|to|in) [\p{L}'. -]{2,40}?)?) (?:is|starts|takes place|will be|is scheduled for|has been moved to|got moved to|is set for|ends|expires|leaves|departs)(?<rest> .+)$`,
      'iu',
    ),
    read({ what = '', rest = '' }, { said }) {
      const told = readWhen(rest, said, 'future')
      if (told === null || told.start > 3 || noPlan.test(rest) || /\b(?:favorite|first day of)\b/i.test(what))
        return null
      return {
        attribute: 'plan',
        value: what,
        eventTime: told.eventTime,
        says: `{whose} {value} (${whenWords(told.eventTime)})`,
      }
    },
  },
  {
    pattern:
      /^(?:(?:on |this |next |tomorrow|today|tonight|in |the |\d|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)[^,]{0,30}?,? )?I (?:am|will|have|fly|leave|start|turn|graduate|travel|arrive|present|defend|move|return|get married|need to)\b.*$/i,
    read(_, clause) {
      const at = clause.text.search(
        /\bI (?:am|will|have|fly|leave|start|turn|graduate|travel|arrive|present|defend|move|return|get|need)\b/i,
      )
      return isPlanVerb.test(clause.text.slice(at))
        ? plan(`${clause.text.slice(at)} ${clause.text.slice(0, at)}`.trim(), clause)
        : null
    },
  },
]

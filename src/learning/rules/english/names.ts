import type { Clause, Reading, Rule } from '../rule-language.ts'
import { work } from './line-of-work.ts'
import { isHarmless, readName, readPlace } from './values.ts'

/** `, 29, from Pune` behind a name. */
function besideName(rest: string, clause: Clause): readonly Reading[] {
  const readings: Reading[] = []
  const age = /^, (?<age>[1-9]\d)(?: years old)?(?=,| and|$| from)/.exec(rest)?.groups?.age
  if (age !== undefined) readings.push({ attribute: 'age', value: age })
  const trade = /^, (?<trade>(?!from |(?:and |\d))(?:an? (?:(?<years>[1-9]\d)-year-old )?)?.+)$/.exec(rest)?.groups
  if (trade?.years !== undefined) readings.push({ attribute: 'age', value: trade.years })
  if (trade !== undefined) {
    const told = trade.trade!.replace(/\d+-year-old /, '')
    const [job, ...more] = work(told.replace(/^a retired /, 'a '), clause, false) ?? []
    if (job !== undefined && /^a retired /.test(told))
      readings.push({ attribute: 'job', value: `retired ${job.value}`, says: '{who} is a {value}' })
    else if (job !== undefined) readings.push(job, ...more)
    const home = / from (?<place>\p{Lu}.+)$/u.exec(trade.trade!)?.groups?.place
    const place = home === undefined ? null : readPlace(home)
    if (place !== null && isHarmless(place.rest)) readings.push({ attribute: 'origin', value: place.value })
  }
  const from = /^(?:, \d\d(?: years old)?)?,?(?: and)? ?from (?<place>\p{Lu}.+)$/u.exec(rest)?.groups?.place
  const place = from === undefined ? null : readPlace(from)
  if (place !== null && isHarmless(place.rest)) readings.push({ attribute: 'origin', value: place.value })
  return readings
}

const notCalled =
  /^(?:Generation|Old|Captain|German|French|English|British|American|Indian|Chinese|Japanese|Italian|Spanish|Dutch|Irish|Scottish|Polish|Russian|Turkish|Greek|Korean|Canadian|Australian|Swiss|Welsh|Mexican|Brazilian|European|Asian|African|Christian|Catholic|Muslim|Jewish|Hindu|Orthodox|Lutheran|Anglican|Methodist|Baptist|Presbyterian|Pentecostal|Evangelical|Mormon|Quaker|Sikh|Sunni|Shia|Druze|Zoroastrian|Amish|Maori|Basque|Catalan|Tamil|Bengali|Punjabi|Gujarati|Yoruba|Igbo|Hausa|Zulu|Xhosa|Navajo|Cherokee|Inuit|Czech|Slovak|Croat|Serb|Turk|Dane|Swede|Finn|Scot|Brit|Londoner|Parisian|Berliner|Libertarian|Socialist|Labour|Tory|Conservative|Buddhist|Protestant|Atheist|Vegan|Vegetarian|Pescatarian|Virgo|Aries|Taurus|Gemini|Libra|Scorpio|Sagittarius|Capricorn|Aquarius|Pisces|Cancer|INTJ|INFP|INFJ|ENFP|ADHD|OK|Team|Type|Gen|Republican|Democrat|LGBT|LGBTQ|Mac|Linux|Windows|Android|Python|Java|Happy|Sad|Bored|Hungry|Tired|Sorry|Busy|Done|Back|New|Sure|Fine|Good|Great|Curious|Interested|Afraid|Glad|Ready|Late|Home|Alone|Lost|Stuck|Confused|Excited|Nervous|Lazy|Single|Married|Pregnant|Retired|Looking|Trying|Going|Working|Planning|Thinking|Writing|Using|Living|Coming|Not|So|Very|Just|Also|Always|In|At|On|From|With)$/i

/** What the speaker is called. */
export const name = (value: string): Reading => ({ attribute: 'name', value })

/** `I am Ann` is a name for sure only where the rest of it is such as follows a name. */
function isSurelyName(value: string, rest: string, { opens, sentence }: Clause): boolean {
  if (
    notCalled.test(value) ||
    // `I'm Coptic Orthodox`, `I'm Old School`.
    [value.split(' ')[0]!, value.split(' ').at(-1)!].some((word) => notCalled.test(word)) ||
    /(?:ish|ese|ian|ean|ist|ful|less|ous|able|ible|erate|ated)$|^(?:Legend|Desperate)$/.test(value)
  )
    return false
  const greeting =
    /^(?:hi|hey|hello|hiya|howdy|greetings|good (?:morning|afternoon|evening)|nice to meet you|namaste|yo)\b/i.test(
      sentence,
    )
  if (!/^\p{Lu}/u.test(value)) return false
  if (/^(?:, (?:I\b|an? |\d\d|from |your |and I\b)|(?:from|and I)\b)/.test(rest)) return true
  if (/^(?:,|(?:and|from|by the way|btw|nice|here|your|the)\b)/i.test(rest)) return greeting || opens
  // `I'm Sherlock when it comes to socks`.
  const after = sentence.slice(sentence.indexOf(value) + value.length).trim()
  if (/^(?:when|whenever|until|till|before|while|where|in|at|with|without|to|for|of)\b/i.test(after)) return false
  return rest === '' && (opens || greeting)
}

export const nameRules = (): readonly Rule[] => [
  {
    pattern: /^my (?:(?:first|full|real|given|actual|legal|last|good) )?name is (?:now )?(?:actually )?(?<rest>.+)$/i,
    read({ rest = '' }, clause) {
      const found = readName(rest, clause.lowerCase)
      if (found === null || /^(?:'|[a-z]+ly\b|hard|difficult|common|often|spelt|pronounced)/.test(found.rest))
        return null
      if (
        /^my last name/i.test(clause.text) ||
        /^, (?:you\b|king of|queen of|prepare|bond\b)/i.test(
          clause.sentence.slice(clause.sentence.indexOf(found.value) + found.value.length),
        )
      )
        return null
      if (found.rest !== '' && !isHarmless(found.rest) && !/^(?:from|but|and|i|nice|spelled|here)\b/i.test(found.rest))
        return null
      return name(found.value)
    },
  },
  {
    // `Björn here from Göteborg`.
    pattern: /^(?<rest>\p{Lu}[\p{L}'-]+) here(?<more>,.*| from .+)?$/u,
    read({ rest = '', more = '' }, clause) {
      const { opens, sentence } = clause
      const found = opens || /^(?:hi|hey|hello)\b/i.test(sentence) ? readName(rest) : null
      return found === null || notCalled.test(found.value)
        ? null
        : [name(found.value), ...besideName(more.trim(), clause)]
    },
  },
  {
    // `Hi, it's Ann`.
    pattern:
      /^(?:[Ii]t is|[Tt]his is) (?:me, )?(?<rest>\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?)(?: here| again| speaking| calling)?(?<from> from \p{Lu}.*)?$/u,
    read({ rest = '', from = '' }, clause) {
      const { opens, sentence } = clause
      const found =
        opens &&
        (/^(?:hi|hey|hello|good (?:morning|afternoon|evening))\b/i.test(sentence) ||
          /(?: speaking| calling)\b/.test(clause.text))
          ? readName(rest)
          : null
      return found === null || notCalled.test(found.value)
        ? null
        : [name(found.value), ...besideName(from.trim(), clause)]
    },
  },
  {
    pattern: /^(?<the>the )?(?:name is|myself) (?<rest>.+)$/i,
    read: ({ the, rest = '' }, clause) => {
      const found = readName(rest)
      // `The name is Bond, James Bond`; the name of what was spoken of.
      if (the !== undefined && (!clause.opens || found?.rest !== '' || /\bname is [^.]*,/i.test(clause.sentence)))
        return null
      if (found === null || notCalled.test(found.value) || (found.rest !== '' && !/^(?:,|from\b)/.test(found.rest)))
        return null
      return [name(found.value), ...besideName(found.rest, clause)]
    },
  },
  {
    pattern: /^I (?:am|go by|am called|am named) (?<rest>\p{L}.*)$/iu,
    read({ rest = '' }, clause) {
      if (/^i (?:go by|am called|am named)/i.test(clause.text)) {
        const called = readName(
          rest.replace(/^the name (?:of )?/i, '').replace(/^(?:called|named) /i, ''),
          clause.lowerCase,
        )
        if (called === null || !(called.rest === '' || isHarmless(called.rest))) return null
        return { attribute: /go by/i.test(clause.text) ? 'nickname' : 'name', value: called.value }
      }
      const found = readName(rest)
      if (found === null || !isSurelyName(found.value, found.rest, clause)) return null
      return [name(found.value), ...besideName(found.rest, clause)]
    },
  },
  {
    pattern: /^(?:please |you (?:can|may|should) |just )*(?:address|refer to) me (?:simply |only )?as (?<rest>.+)$/i,
    read({ rest = '' }) {
      const found = readName(rest.replace(/ from now on$/i, ''))
      return found === null || found.rest !== '' ? null : { attribute: 'nickname', value: found.value }
    },
  },
  {
    pattern:
      /^(?:(?:you (?:can|may|could|should)|feel free to|please|just|everyone|everybody|people|friends|my friends|most people|all) )*(?:call|calls) me (?<rest>.+)$/i,
    read({ rest = '' }, { sentence, lowerCase, text }) {
      const found = readName(rest, lowerCase)
      if (
        found === null ||
        notCalled.test(found.value) ||
        /^(?:back|later|when|a|an|the|crazy|old-fashioned|today|tomorrow|maybe|now|on|at)$/i.test(found.value)
      )
        return null
      if (
        !(
          found.rest === '' ||
          isHarmless(found.rest) ||
          /^(?:from now on|instead|for short|not|rather)/i.test(found.rest)
        )
      )
        return null
      if (/\b(?:do not|never|not) call me\b/i.test(sentence)) return null
      // `call me names`, `just call me old`: without a capital only where it is an offer.
      if (
        !/^\p{Lu}/u.test(rest) &&
        !/^(?:you (?:can|may|could|should)|please|every|people|friends|my friends|most people|all)/i.test(text) &&
        !/^(?:from now on|instead|for short|not|rather)/i.test(found.rest)
      )
        return null
      if (
        /^(?:Captain|Doctor|Mister|Mr|Mrs|King|Queen|Sir|Lord|Lady|General|Major|Professor|Sherlock|Einstein|Picasso|Romeo|Cinderella|Shakespeare|Ishmael|Batman|Superman|Nostradamus|Cassandra|Scrooge)\b/.test(
          found.value,
        ) ||
        (/^call me/i.test(text) && /\bcall me [^.!]*, but\b/i.test(sentence))
      )
        return null
      if (/^(?:crazy|old|lazy|stupid|silly|weird|biased|paranoid|picky|back)/i.test(found.value)) return null
      return { attribute: 'nickname', value: found.value }
    },
  },
  {
    pattern:
      /^(?:my pronouns are(?: now)?|I use|I go by|I (?:have )?(?:just |recently )?changed my pronouns to|I (?:now )?use) (?<value>(?:she|he|they|xe|ze|it)\/(?:her|him|them|they|xem|zir|hers|his|theirs)(?:\/\w+)?)(?: pronouns)?$/i,
    read: ({ value = '' }) => ({ attribute: 'pronouns', value: value.toLowerCase() }),
  },
]

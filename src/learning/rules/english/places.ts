import type { Reading, Rule } from '../rule-language.ts'
import { isField } from './fields.ts'
import { isTechnology } from './things.ts'
import { hasArticle, isHarmless, readPlace, type Value } from './values.ts'

/** Says that a past tense is long gone: childhood, a stay, what came after it. */
export const past =
  /\b(?:when I was|when we were|as a (?:child|kid|teen(?:ager)?|boy|girl|student|baby)|in my (?:teens|twenties|thirties|youth|childhood|early|late|mid)|back then|at the time|growing up|grew up|back in (?:19|20)?\d\d|in the (?:\d0s|nineties|eighties|seventies|sixties|noughties)|for (?:a|one|two|three|\d+|some|several) (?:days?|weeks?|months?|semesters?|summers?)|temporarily|until|till|then (?:moved|went|came|left)|moved back|moved away|before (?:moving|coming|going|that)|and (?:then|later|left|returned|came back))\b/i

const place = (attribute: string, found: Value | null, more: Partial<Reading> = {}): Reading | null =>
  found !== null && isHarmless(found.rest) ? { attribute, value: found.value, ...more } : null

function homeRule(pattern: RegExp): Rule {
  return {
    pattern,
    read: ({ rest = '' }, { lowerCase, sentence }) => {
      if (
        /\b(?:every (?:summer|winter)|half the|part of the year|during the week|on weekdays|at weekends)\b/i.test(
          sentence,
        )
      )
        return null
      // Of places with an article only those that are known: no `Upside Down`.
      if (/^the \p{Lu}/u.test(rest) && !hasArticle(rest)) return null
      const stripped = rest.replace(/^(?:in )?(?:a|an|the|my|our) [\p{L} -]{1,30}? (?:in|near) (?=\p{Lu})/u, '')
      return place('home', readPlace(stripped, lowerCase))
    },
  }
}

const moved: Rule = {
  pattern:
    /^I (?:have )?(?:just |recently |finally |only )*(?:moved|relocated|emigrated|immigrated|migrated|shifted) (?:back |house |home |out |over |down |up |here )*(?:(?:away )?from (?<from>.{2,60}?) )?(?:back )?to (?<rest>.+)$/i,
  read({ from, rest = '' }, { lowerCase, sentence }) {
    if (past.test(sentence.replace(/\bmoved back to\b/i, ''))) return null
    const stripped = rest.replace(/^(?:a|an|the|my|our) [\p{L} -]{1,30}? in (?=\p{Lu})/u, '')
    const home = place('home', readPlace(stripped, lowerCase))
    if (home === null || isTechnology(home.value)) return null
    const left = from === undefined ? null : readPlace(from, lowerCase)
    return left === null ? home : [{ attribute: 'home', value: left.value, ends: true }, home]
  },
}

const ends = (attribute: string, found: Value | null): Reading | null =>
  found === null ? null : { attribute, value: found.value, ends: true }

export const placeRules = (): readonly Rule[] => [
  {
    // `we've moved in with my parents in Exeter`.
    pattern:
      /^I (?:have )?(?:just |recently )?moved (?:back )?in with (?:my|our) (?:[a-z-]+ ?){1,3} in (?<rest>\p{Lu}.+)$/u,
    read: ({ rest = '' }, { sentence }) => (past.test(sentence) ? null : place('home', readPlace(rest))),
  },
  {
    pattern:
      /^I (?:no longer (?:live|am living)|do not live|am not living|used to live|am no longer (?:living|based)) (?:in|at|near) (?<rest>.+)$/i,
    read({ rest = '' }, { lowerCase, text }) {
      if (/^I (?:do|am) not/i.test(text) && !/\b(?:anymore|no longer|any longer)\b/i.test(rest)) return null
      return ends('home', readPlace(rest, lowerCase))
    },
  },
  {
    pattern: /^I (?:have )?(?:moved (?:away|out) (?:from|of)|left) (?<rest>.+?) for (?<to>\p{L}.*)$/iu,
    read({ rest = '', to = '' }, { lowerCase, text, sentence }) {
      const [from, home] = [readPlace(rest, lowerCase), readPlace(to, lowerCase)]
      if (from === null || from.rest !== '' || home === null || past.test(sentence)) return null
      if (!/moved/i.test(text)) return null
      return [
        { attribute: 'home', value: from.value, ends: true },
        { attribute: 'home', value: home.value },
      ]
    },
  },
  {
    pattern: /^I (?:have )?(?:just |recently )?moved (?:away from|out of) (?<rest>.+)$/i,
    read({ rest = '' }, { lowerCase, sentence }) {
      return past.test(sentence.replace(/\bmoved away\b/i, '')) ? null : ends('home', readPlace(rest, lowerCase))
    },
  },
  moved,
  homeRule(
    /^I (?:live|am living|reside|am based|am located|am residing|am staying permanently|have lived|have been living|have been based|am settled|stay(?! (?:[\p{L}]+ )?at\b))(?: (?:here|now|currently|still|full-time|alone|together|happily|with (?:my|two|three|a|our) [\p{L} -]{2,30}?|over|up|down|out|back|right))? (?:in|near|at|on the outskirts of|just outside(?: of)?|outside(?: of)?) (?<rest>.+)$/iu,
  ),
  {
    // `We moved house, we're in Norwich now`; one is in many places.
    pattern: /^I am (?:now )?in (?<rest>\p{Lu}[\p{L}' -]+?)(?: now| these days)?$/u,
    read: ({ rest = '' }, { sentence }) =>
      /\bmoved\b[^.]*\bam now in\b|\b(?:do not|no longer) live in [^.]*\b(?:am|are) (?:now )?in\b|\bmoved\b[^.]*\b(?:am|are) in [^.]* now\b/i.test(
        sentence,
      )
        ? place('home', readPlace(rest))
        : null,
  },
  homeRule(/^I am (?:now )?back (?:home )?in (?<rest>.+?),? (?:for good|permanently)$/i),
  homeRule(/^my (?:(?:current|new|adopted) )?home (?:city |town |country )?is (?:now )?(?:in )?(?<rest>.+)$/i),
  homeRule(/^(?:home is|my home is|I call (?=.+ home$)) ?(?<rest>\p{Lu}.+?)(?: home)?$/u),
  {
    pattern:
      /^I (?:(?:am|come|hail)(?: originally)?(?: here)? from|originally come from|am originally from|am a native of) (?<rest>.+)$/i,
    read: ({ rest = '' }, { lowerCase }) => {
      const found = readPlace(
        rest.replace(
          /^an? (?:[\p{L}-]+ ){0,2}(?:town|village|city|farm|suburb|island|place|hamlet) (?:in|near|outside|close to) (?=\p{Lu})/u,
          '',
        ),
        lowerCase,
      )
      if (found === null || /^the (?:future|past)/i.test(rest) || isField(found.value)) return null
      // `I'm from Siemens` is said in business: only what goes on like a place.
      return /^(?:originally|but|and|$|,|now|\.)/i.test(found.rest) || isHarmless(found.rest)
        ? { attribute: 'origin', value: found.value }
        : null
    },
  },
  {
    pattern: /^I was born (?:and (?:raised|brought up|bred) )?(?:on .{3,25}? )?in (?<rest>.+)$/i,
    read({ rest = '' }, { lowerCase, text }) {
      if (
        /^(?:the (?:\d0s|year)|\d{4}|January|February|March|April|May|June|July|August|September|October|November|December)\b/i.test(
          rest,
        )
      )
        return null
      const found = readPlace(rest, lowerCase)
      if (found === null) return null
      const born: Reading = { attribute: 'birthplace', value: found.value }
      return /and (?:raised|brought up|bred)/i.test(text) ? [born] : born
    },
  },
  {
    pattern:
      /^I (?:grew up|was raised|was brought up) (?:in|on (?=an? (?:[a-z]+ )?(?:farm|ranch|island|estate|houseboat)\b)) ?(?<rest>.+)$/i,
    read: ({ rest = '' }, { lowerCase }) =>
      place(
        'origin',
        readPlace(rest.replace(/^(?:a|the) [\p{L} -]{1,30}? (?:in|of|near) (?=\p{Lu})/u, ''), lowerCase),
        {
          says: '{who} grew up in {value}',
        },
      ),
  },
  {
    pattern: /^my (?:home ?town|native (?:city|town|place|country)|birthplace|place of birth) is (?<rest>.+)$/i,
    read: ({ rest = '' }, { lowerCase, text }) =>
      place(/birth/i.test(text) ? 'birthplace' : 'origin', readPlace(rest, lowerCase)),
  },
  {
    pattern:
      /^I am (?:an? )?(?<value>(?:half-?)?(?:german|french|english|british|american|indian|chinese|japanese|italian|spanish|dutch|irish|scottish|welsh|polish|russian|turkish|greek|korean|canadian|australian|swiss|swedish|norwegian|danish|finnish|austrian|belgian|portuguese|brazilian|mexican|argentinian|argentine|colombian|chilean|peruvian|egyptian|nigerian|kenyan|ghanaian|ethiopian|moroccan|south african|pakistani|bangladeshi|sri lankan|nepali|nepalese|thai|vietnamese|filipino|filipina|indonesian|malaysian|singaporean|taiwanese|israeli|iranian|iraqi|lebanese|syrian|saudi|ukrainian|czech|slovak|hungarian|romanian|bulgarian|serbian|croatian|slovenian|estonian|latvian|lithuanian|icelandic|kiwi|maltese|cypriot|luxembourgish|jamaican|cuban|venezuelan|tunisian|algerian))(?: by birth)?(?<rest>.*)$/i,
    read({ value = '', rest = '' }) {
      return /^(?:$|,| and (?:i|live|work)| but| living| by birth| citizen)/i.test(rest)
        ? { attribute: 'nationality', value: nationality(value) }
        : null
    },
  },
]

const nationality = (value: string): string =>
  value.toLowerCase().replace(/(^|[ -])(\p{Ll})/gu, (_, before, letter) => before + letter.toUpperCase())

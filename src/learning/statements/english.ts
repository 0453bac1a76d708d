import { monthNames, weekdayNames } from '../../text/index.ts'

/** What English writes in more than one way, and what must never be passed over. Other languages get a file like this one. */

/** Words that change nothing in what is stated, unless it is denied: `not very tall`. */
export const fillers: ReadonlySet<string> = new Set(['the', 'really', 'very', 'actually', 'also'])

/** `said that she comes` is `said she comes`. */
export const reporting: ReadonlySet<string> = new Set(
  'says said thinks thought knows knew believes believed hopes hoped mentioned mentions'.split(' '),
)

/** Another word in capitals than in small letters: `works for US`. */
export const capitalWords: ReadonlySet<string> = new Set('US IT WHO OR IN ME AM AN'.split(' '))
/** With a capital another word than without, unless a sentence begins with it: `likes Turkey`. */
export const doubleWords: ReadonlySet<string> = new Set(
  `Turkey Polish China March May August Mark Bill Will Rose Job Reading Nice Mobile Bath Cork Jersey Guinea Apple Amazon
  Shell Target Gap Visa Orange Windows Word Excel Teams Slack Zoom Python Java Go Rust Swift Ruby Mercury Earth God`.split(
    /\s+/,
  ),
)

/** Before these `'s` is `is`, never a possessive. */
export const afterIs: ReadonlySet<string> = new Set(['a', 'an', 'the', 'not'])
/** Of these `'s` is `is`, unless a participle follows. */
export const isPronouns: ReadonlySet<string> = new Set('he she it that there'.split(' '))
export const hasParticiples = /^(?:been|got|had|gone|done|seen|become|\w+ed|\w+en)$/

const lowerCase = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase())

export const months: ReadonlyMap<string, number> = new Map(
  lowerCase(monthNames).flatMap((name, i): [string, number][] => [
    [name, i + 1],
    [name.slice(0, 3), i + 1],
  ]),
)

export const numberWords: ReadonlyMap<string, string> = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty`
    .split(/\s+/)
    .map((word, i) => [word, String(i)]),
)

/** Words that say that something is not so. */
export const negations: ReadonlySet<string> = new Set(
  `no not never none nobody nothing nowhere neither nor without cannot hardly barely dislikes dislike disliked unable
  refuses refused stopped quit former formerly`.split(/\s+/),
)

/** One word or the other: the same is said. Only what holds wherever the word stands. */
export const words: Readonly<Record<string, string>> = {
  an: 'a',
  enjoys: 'likes',
  enjoy: 'like',
  enjoyed: 'liked',
  resides: 'lives',
  reside: 'live',
  resided: 'lived',
  purchased: 'bought',
  purchases: 'buys',
  begins: 'starts',
  began: 'started',
  mom: 'mother',
  mum: 'mother',
  dad: 'father',
  kids: 'children',
  kid: 'child',
  bike: 'bicycle',
  tv: 'television',
  fridge: 'refrigerator',
  photo: 'photograph',
  photos: 'photographs',
  'e-mail': 'email',
  film: 'movie',
  films: 'movies',
  automobile: 'car',
  physician: 'doctor',
  favorite: 'favourite',
  favorites: 'favourites',
  color: 'colour',
  colors: 'colours',
  center: 'centre',
  theater: 'theatre',
  neighbor: 'neighbour',
  neighbors: 'neighbours',
  traveling: 'travelling',
  till: 'until',
  each: 'every',
  cannot: 'can not',
  'p.m': 'pm',
  'a.m': 'am',
  "o'clock": '',
  noon: '12 pm',
}

/** Of the words as they are by then, between single spaces; in this order. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/ (?:is|am|are) (?:fond of|keen on) /g, ' likes '],
  [/ (?:is|are) living in /g, ' lives in '],
  [/ (?:is|am|are) employed (?:by|at) /g, ' works at '],
  [/ works for (?!\d)/g, ' works at '],
  [/ has a job at /g, ' works at '],
  [/ (?:is|are) named /g, ' is called '],
  [/ relocated to /g, ' moved to '],
  [/ (?:has|suffers from) an? allergy to /g, ' is allergic to '],
  [/ does not like /g, ' dislikes '],
  [/ do not like /g, ' dislike '],
  [/ did not like /g, ' disliked '],
  [/ (has|have) got /g, ' $1 '],
  [/ every day /g, ' daily '],
  [/ every week /g, ' weekly '],
  [/ due to /g, ' because of '],
  [/ (prefers? \S+) over /g, ' $1 to '],
  [/ (?:about|around|roughly) (\d)/g, ' approximately $1'],
  [/ (\d{1,2}):00 (am|pm) /g, ' $1 $2 '],
  [/ on (monday|tuesday|wednesday|thursday|friday|saturday|sunday)s /g, ' every $1 '],
  [/ on (monday|tuesday|wednesday|thursday|friday|saturday|sunday|day:\S+) /g, ' $1 '],
]

/** Where there is more than one clause, it matters with which of them a time stands. */
export const manyClauses = /\b(?:and|but|or|that|because|when|while|if|who|which|after|before|until|so)\b/

/** When something is so, said first: it may as well be said last. */
export const leadingTime =
  /^ ((?:every (?:day|week|month|year|morning|evening|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|daily|weekly|monthly|today|tomorrow|yesterday|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|day:\S+|in \d{4}|in (?:january|february|march|april|may|june|july|august|september|october|november|december)))(?= )(.*) $/

/** Names of months and weekdays: dates, however they are written. */
export const timeNames: ReadonlySet<string> = new Set([
  ...[...months.keys()].filter((name) => name.length > 3 && name !== 'march'),
  ...lowerCase(weekdayNames),
])

/** Words that a sentence begins with, in capitals though they name nobody. */
export const sentenceStarters: ReadonlySet<string> = new Set(
  `a after all although an and another as at because before both but by currently during each every for from he her his
  however i if in it its later meanwhile most my no not now of often on one or other others our overall since so some
  someone sometimes soon that the their then there these they this those though three to today together tomorrow two until
  user we when where while who with yesterday you your also plans works lives likes prefers has is was`.split(/\s+/),
)

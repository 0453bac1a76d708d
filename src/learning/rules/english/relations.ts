import type { Clause, Reading, Rule, SaidOfSomebody } from '../rule-language.ts'
import { otherRelations, singleRelations } from './attributes.ts'
import { isHarmless, listOf, readName, titled } from './values.ts'

/** Words for relations, and the attribute each is. */
const words: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...singleRelations, ...otherRelations].map((name) => [name, name])),
  fiance: 'fiancé',
  fiancee: 'fiancée',
  hubby: 'husband',
  wifey: 'wife',
  spouse: 'partner',
  'other half': 'partner',
  'better half': 'partner',
  missus: 'wife',
  gf: 'girlfriend',
  bf: 'boyfriend',
  mum: 'mother',
  mom: 'mother',
  mam: 'mother',
  amma: 'mother',
  dad: 'father',
  papa: 'father',
  sis: 'sister',
  bro: 'brother',
  kid: 'child',
  'twin brother': 'brother',
  'twin sister': 'sister',
  grandma: 'grandmother',
  gran: 'grandmother',
  nan: 'grandmother',
  granny: 'grandmother',
  grandpa: 'grandfather',
  grandad: 'grandfather',
  granddad: 'grandfather',
  auntie: 'aunt',
  'best friend': 'best-friend',
  bestie: 'best-friend',
  'best mate': 'best-friend',
  bff: 'best-friend',
  mate: 'friend',
  'line manager': 'manager',
  coworker: 'colleague',
  'co-worker': 'colleague',
  teammate: 'colleague',
}
const pets =
  'tabby|ginger cat|tomcat|siamese|greyhound|whippet|spaniel|cocker spaniel|collie|border collie|retriever|terrier|pug|rottweiler|chihuahua|labradoodle|cockapoo|dalmatian|dog|cat|puppy|pup|kitten|kitty|rabbit|bunny|hamster|parrot|horse|pony|goldfish|fish|turtle|tortoise|snake|guinea pig|bird|budgie|ferret|gecko|lizard|labrador|poodle|beagle|corgi|husky|golden retriever|german shepherd|dachshund|cockatiel|rat|hedgehog|chameleon|gerbil|canary|chinchilla|bearded dragon|pet'
/** As a part of a pattern. */
export const relationWords = Object.keys(words)
  .sort((a, b) => b.length - a.length)
  .join('|')
const which = String.raw`(?:(?:older|younger|elder|big|little|baby|eldest|oldest|youngest|middle|only|twin|good|close|dear|old|new|lovely|beautiful|wonderful|other|first|second|late|own|current|former|\d+[- ]year[- ]old) )*`

const my = new RegExp(
  String.raw`(?<![\p{L}'])(?:[Mm]y|[Oo]ur) ${which}(?<kind>${relationWords}|${pets})(?:,| is (?:called|named)| called| named| is)? (?<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?\p{Lu}[\p{L}\p{M}'-]+(?: \p{Lu}[\p{L}\p{M}'-]+)?)(?=(?<after>[^]{0,40}))`,
  'gu',
)

const attributeOf = (kind: string): string | undefined =>
  Object.hasOwn(words, kind.toLowerCase()) ? words[kind.toLowerCase()] : undefined

/** Of these there is another one later. */
const passing =
  /^(?:husband|wife|partner|fianc.e?|boyfriend|girlfriend|boss|manager|colleague|roommate|flatmate|housemate|landlord|landlady|neighbou?r|mentor|therapist|teacher|trainer|coach|assistant)$/

/** No longer: somebody has died, or was it once. */
function relationBefore(kind: string, name: string): Reading {
  const reading = relationTo(kind, name)
  if (reading.attribute === 'pet' || passing.test(reading.attribute)) return { ...reading, ends: true, says: undefined }
  return { ...reading, says: `{whose} ${kind.toLowerCase()} was {value}` }
}

function relationTo(kind: string, name: string): Reading {
  const attribute = attributeOf(kind)
  if (attribute !== undefined) return { attribute, value: name }
  return { attribute: 'pet', value: name, says: `{who} has a ${kind.toLowerCase()} called {value}` }
}

/** `my bf jake plays`, where nobody uses capitals: only before what follows a name. */
const myLower = new RegExp(
  `(?:^|[ ,])my ${which}(?<kind>${relationWords}|${pets})(?: is called| called| named)? (?<name>[a-z]{3,12}) (?:is|lives|works|plays|has|loves|likes|hates|and i|moved)(?![a-z])`,
)
const noLowerName =
  /^(?:also|who|that|which|still|now|never|really|just|and|always|already|even|actually|only|kinda|keeps|got|said|only|else|too|both|here|there|once|often|mostly|literally|probably|currently|basically|thing|name|house|room|food|side|one|was|were|has|had|the|group|work|works|job|life|phone|car|account|page|teacher|class|team|day|birthday)$|(?:ly|ing|ed)$/

/** `I need a gift for my sister Mia, any ideas?` states something before it asks. */
const statedBefore =
  /^(?:(?:hi|hey|hello|so|ok|okay|and|also),? )?(?:I|I'm|I've|We|We're|We've|My|Our) .*, (?:any|what|which|how|where)\b/

/** `my sister Mia` and `my dog Rex`, wherever they stand in a statement. */
export function mentions(text: string): readonly Reading[] {
  if (/\?\W*$/.test(text) && !statedBefore.test(text)) return []
  const found = [...text.matchAll(my)].flatMap((match) => mentioned(text, match))
  return found.length > 0 ? found : mentionsInLowerCase(text)
}

function mentioned(text: string, match: RegExpMatchArray): readonly Reading[] {
  // Not what somebody else says of theirs.
  if (/\b(?:says?|said|told|tells|asked|thinks?|claims?|wrote|replied)\b/i.test(text.slice(0, match.index))) return []
  // `I'd call my daughter Ines` gives a name to somebody who is not there.
  if (/\b(?:call|name|naming|calling|christen) $/i.test(text.slice(0, match.index))) return []
  const { kind = '', name = '', after = '' } = match.groups!
  const found = readName(name.replace(/'s$/, ''))
  if (
    found === null ||
    notAName.test(found.value) ||
    /^'|^ (?:Street|Road|University|College|teacher|tutor|class)/.test(after)
  )
    return []
  // `My boss is German`, `my friend Python`: only names that stand beside the word for sure.
  if (/ is $/.test(match[0].slice(0, match[0].length - name.length)) && !/\b(?:called|named)\b/.test(match[0])) {
    return []
  }
  const value = found.value.replace(/ (?:And|But|I)$/, '')
  const gone =
    /\b(?:late|former) /i.test(match[0]) ||
    /^,? (?:has |have |just |recently |sadly |who )*(?:died|passed(?: away| on)?|is dead|is no longer with us|crossed the rainbow|was put (?:down|to sleep)|had to be put (?:down|to sleep))\b/i.test(
      after,
    )
  if (gone) return [relationBefore(kind, value)]
  // `my old boss` is the boss no longer, `my old friend` is a friend.
  if (/\bold /i.test(match[0]) && passing.test(attributeOf(kind) ?? '')) return []
  return [relationTo(kind, value)]
}

function mentionsInLowerCase(text: string): readonly Reading[] {
  if (/\p{Lu}/u.test(text.slice(1)) || /\b(?:says?|said|told|asked|thinks?|claims?)\b/.test(text)) return []
  const { kind, name = '' } = myLower.exec(text.toLowerCase())?.groups ?? {}
  if (kind === undefined || noLowerName.test(name) || readName(name, true) === null) return []
  return [relationTo(kind, titled(name))]
}

const notAName =
  /^(?:Earth|Nature|Act|Act II|Goose|Board|Tongue|Teresa|German|French|English|British|American|Indian|Chinese|Japanese|Italian|Spanish|Dutch|Irish|Scottish|Polish|Russian|Turkish|Greek|Korean|Canadian|Australian|Christmas|Easter|Python|Java|Linux|Windows|Google|Facebook|Instagram|Twitter|WhatsApp|YouTube|Netflix|Amazon|I|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Doctor|Dr|Jewish|Muslim|Christian|Catholic|Hindu|Buddhist|Vegan|Type|CEO|CTO|PhD|ADHD|AI|TV|PC|HR|Karma|Insomnia|Anxiety|Google|Siri|Alexa|ChatGPT|Claude|Gemini|Copilot|Excel|Caffeine|Coffee|Netflix|Act|Night|Friday night)$/

const thirdToFirst: Readonly<Record<string, string>> = {
  is: 'am',
  lives: 'live',
  works: 'work',
  has: 'have',
  loves: 'love',
  likes: 'like',
  hates: 'hate',
  enjoys: 'enjoy',
  prefers: 'prefer',
  speaks: 'speak',
  studies: 'study',
  moved: 'moved',
  drives: 'drive',
  plays: 'play',
  owns: 'own',
  does: 'do',
  was: 'was',
  joined: 'joined',
  comes: 'come',
  adores: 'adore',
  teaches: 'teach',
  'no longer': 'no longer',
  turns: 'turn',
  just: 'just',
  now: 'now',
  still: 'still',
  also: 'also',
  really: 'really',
  currently: 'currently',
  recently: 'recently',
}
const third = new RegExp(
  String.raw`^(?:my ${which}(?:${relationWords}),? )?(?<name>\p{L}[\p{L}\p{M}'-]+),? (?<verb>(?:(?:just|now|still|also|really|currently|recently|no longer) )*(?:is|lives|works|has|loves|likes|hates|enjoys|prefers|speaks|studies|moved|drives|plays|owns|does|was|joined|comes|adores|teaches|turns)) (?<rest>.+)$`,
  'iu',
)

/** `my sister Mia lives in Bonn`, and `Mia lives in Bonn` once she is known. */
export function aboutSomebody({ text, lowerCase }: Clause, known: ReadonlySet<string>): SaidOfSomebody | null {
  const match = third.exec(text)
  if (match === null) return null
  const { name = '', verb = '', rest = '' } = match.groups!
  const related = /^my /i.test(text)
  if (!related && !known.has(name.toLowerCase())) return null
  const read = readName(name, lowerCase)
  if (read === null || notAName.test(read.value)) return null
  if (!/^\p{Lu}/u.test(name) && !known.has(name.toLowerCase())) return null
  const first = verb
    .toLowerCase()
    .split(' ')
    .map((word) => thirdToFirst[word] ?? word)
    .filter((word) => !/^(?:just|now|still|also|really|currently|recently)$/.test(word))
    .join(' ')
  return { name: read.value, text: `I ${first} ${rest}` }
}

const counts = '(?:a|an|one|two|three|four|five|six|\\d)'
const several =
  'dogs|cats|puppies|kittens|rabbits|bunnies|hamsters|horses|ponies|parrots|snakes|birds|budgies|guinea pigs|turtles|tortoises|rats|ferrets|gerbils|chickens|hens'

/** `Pickle and Bean`: names and nothing else. */
function namesOf(text: string): readonly string[] | null {
  const listed = /^(?<list>\p{Lu}[\p{L}'-]+(?:, \p{Lu}[\p{L}'-]+)*,? (?:and|&) \p{Lu}[\p{L}'-]+)(?<rest>.*)$/u.exec(
    text,
  )?.groups
  if (listed === undefined || !(listed.rest!.trim() === '' || isHarmless(listed.rest!.trim()))) return null
  const names = listOf(listed.list!)
  return names.some((name) => readName(name)?.value !== name || notAName.test(name)) ? null : names
}

/** My husband's name is Tom; my dog is called Rex; I have a sister called Mia. */
export const relationRules = (): readonly Rule[] => [
  {
    pattern: new RegExp(
      String.raw`^(?:I (?:have|have got|own|adopted|have adopted) ${counts} ${which}(?:[\p{L}-]+ ){0,2}?(?<kinds>${several})(?:,|:)?(?: (?:called|named))?|[Mm]y ${which}(?<mine>${several}) are (?:called|named)|[Mm]y ${which}(?<owned>${several})'? names are) (?<names>\p{Lu}.+)$`,
      'u',
    ),
    read({ kinds, mine, owned, names = '' }) {
      const kind = (kinds ?? mine ?? owned ?? '').replace(/ies$/, 'y').replace(/s$/, '')
      return (
        namesOf(names)?.map((name) => ({
          attribute: 'pet',
          value: name,
          says: `{who} has a ${kind} called {value}`,
        })) ?? null
      )
    },
  },
  {
    pattern: new RegExp(
      String.raw`^(?:I have(?: got)? (?:two|three|four|five|\d) (?:[\p{L}-]+ )?(?<have>kids|children|sons|daughters|boys|girls|brothers|sisters)(?:,|:)?(?: (?:called|named))?|[Mm]y ${which}(?<mine>kids|children|sons|daughters|brothers|sisters)(?:,| are(?: called| named)?|' names are)) (?<names>\p{Lu}.+)$`,
      'u',
    ),
    read({ have, mine, names = '' }) {
      const kind = (have ?? mine ?? '').replace(/s$/, '')
      const attribute = /^(?:kid|children|boy|girl)$/.test(kind) ? 'child' : kind
      return namesOf(names)?.map((value) => ({ attribute, value })) ?? null
    },
  },
  {
    pattern: new RegExp(
      `^my ${which}(?<kind>${relationWords}|${pets})(?:'s?|s)? (?:name is|is called|is named|goes by) (?<rest>.+)$`,
      'i',
    ),
    read({ kind = '', rest = '' }, { lowerCase }) {
      const found = readName(rest, lowerCase || !/\p{Lu}/u.test(rest))
      if (found === null || notAName.test(found.value) || !(found.rest === '' || isHarmless(found.rest))) return null
      return relationTo(kind, found.value)
    },
  },
  {
    pattern: new RegExp(
      String.raw`^I (?:have|own|got|have got|have adopted|adopted|just adopted|rescued) (?:a|an|one|my) ${which}(?:[\p{L}-]+ ){0,2}?(?<kind>${relationWords}|${pets}),? (?:(?:called|named|whose name is|by the name of) )?(?<rest>\p{L}.+)$`,
      'iu',
    ),
    read({ kind = '', rest = '' }, { lowerCase, text }) {
      const found = readName(rest, lowerCase && / (?:called|named|name) /i.test(text))
      if (found === null || !(found.rest === '' || isHarmless(found.rest) || /^(?:who|that|which)/.test(found.rest)))
        return null
      return relationTo(kind, found.value)
    },
  },
  {
    pattern: new RegExp(
      String.raw`^(?<rest>\p{L}[\p{L}'-]+) is my ${which}(?<kind>${relationWords}|${pets})(?: now)?$`,
      'iu',
    ),
    read({ kind = '', rest = '' }) {
      const found = readName(rest)
      return found === null || notAName.test(found.value) || /^(?:he|she|it|this|that|who|what)$/i.test(rest)
        ? null
        : relationTo(kind, found.value)
    },
  },
  {
    pattern:
      /^I (?:have|have got|own|got|am a (?:mother|father|mum|mom|dad|parent) (?:of|to)) (?<value>(?:a|an|one|two|three|four|five|six|seven|eight|\d)(?: (?:[\p{L}-]+) ?){0,3}?)(?<what> ?(?:kids|children|sons|daughters|kid|child|son|daughter|boys|girls|twins|toddler|baby))(?<rest>.*)$/iu,
    read({ value = '', what = '', rest = '' }, { text }) {
      if (!/^(?:$|,| and | who| aged?| called| named| together| with my| at home| only| now)/.test(rest)) return null
      if (/\b(?:boys|girls|baby)\b/.test(what) && !/mother|father|mum|mom|dad|parent/i.test(text)) return null
      const whole = `${value.trim()} ${what.trim()}${/^ and (?:a|an|one|two|three|\d)(?: [\p{L}-]+)? (?:kids?|sons?|daughters?)$/u.exec(rest)?.[0] ?? ''}`
      return { attribute: 'children', value: whole }
    },
  },
  {
    pattern:
      /^I (?:have|have got) (?<value>(?:a|an|one|two|three|four|five|six|\d)(?: (?:older|younger|elder|big|little|twin|half))? (?:sisters?|brothers?|siblings?)(?: and (?:a|an|one|two|three|four|\d)(?: (?:older|younger|elder|big|little|twin))? (?:sisters?|brothers?))?)(?<rest>.*)$/i,
    read: ({ value = '', rest = '' }) =>
      /^(?:$|,| who| and | in \p{Lu}| called| named)/u.test(rest) && !/ called| named/.test(rest)
        ? { attribute: 'siblings', value }
        : null,
  },
  {
    pattern: /^I (?:am|have no siblings,? I am|grew up as) an only child$/i,
    read: () => ({ attribute: 'siblings', value: 'no siblings', says: '{who} is an only child' }),
  },
  {
    pattern: new RegExp(
      String.raw`^I (?:have|have got|own|got|adopted|just got|have adopted|rescued) (?<value>(?:a|an|one|two|three|four|five|six|\d)(?: (?!(?:like|of|in|as|for|on|with|to)\b)[\p{L}-]+){0,3}? ?(?:${pets}|dogs|cats|puppies|kittens|rabbits|hamsters|horses|parrots|snakes|chickens|hens|birds|guinea pigs|turtles|rats|ferrets)(?![\p{L}])(?: and (?:a|an|one|two|three|\d)(?: [\p{L}-]+){0,2}? (?:${pets}|dogs|cats|rabbits))?)(?<rest>.*)$`,
      'iu',
    ),
    read({ value = '', rest = '' }) {
      if (/\b(?:stupid|allergy|person|phobia|hot|problem|toy|stuffed|plush|robot|question|imaginary)\b/i.test(value))
        return null
      return /^(?:$|,| who| and |!| called| named| at home| now| too| as well| in my| yesterday| last| from| today| that)/.test(
        rest,
      )
        ? { attribute: 'pet', value, says: '{who} has {value}' }
        : null
    },
  },
]

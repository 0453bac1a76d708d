import type { Reading, Rule } from '../rule-language.ts'
import { name } from './names.ts'
import { relationWords } from './relations.ts'
import { isHarmless, readName, readPlace } from './values.ts'

const tensInWords = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const onesInWords = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** Married, engaged, parted; how old. */
export const statusRules = (): readonly Rule[] => [
  {
    pattern:
      /^I (?:am|was(?= widowed)|have been|got|have gotten|just got|have just got|am getting) (?<value>married|engaged|divorced|separated|widowed|single|in a (?:long-distance )?relationship)(?<rest>.*)$/i,
    read({ value = '', rest = '' }, { text }) {
      if (/getting/i.test(text) || (/^I (?:have been)/i.test(text) === true && !/ (?:for|since) /.test(rest)))
        return null
      if (
        /^ (?:to (?:the|my|this|that|a|an|your|his|her|bash|idea)\b|in (?:the|this|a) (?:conversation|discussion|project)|out|from|handed|minded|by|mom|mum|dad|parent|digit)/i.test(
          rest,
        )
      )
        return null
      // `I'm married, to my bicycle`.
      if (/^, (?:but )?to (?!\p{Lu}|my (?:husband|wife|partner)\b)/u.test(rest)) return null
      // `engaged in a fight`, `single again this weekend`.
      if (
        !/^(?:$|[,.!]| (?:to (?:a |an |my (?:husband|wife|partner)|\p{Lu})|with (?:(?:a|an|one|two|three|four|five|six|\d|no|young|small|grown-?up|grown|little|my) )+(?:kids?|child|children|sons?|daughters?|boys?|girls?|twins|teenagers?|toddlers?|baby|babies|stepchildren|grandchildren|dogs?|cats?)\b|and|but|for|since|now|again$|at the moment$|these days|last|this (?:year|spring|summer|autumn|fall|winter|month)|in (?:\d{4}|\p{Lu})|after|two|three|\d|a (?:few|couple|year|month)|almost|nearly|about|recently|happily|so|because|at \d|on (?:\p{Lu}|the \d|\d)|young$|early$|myself$|too$|from my (?:husband|wife|partner)|yesterday))/u.test(
          rest,
        )
      )
        return null
      const count =
        /^ (?:with|and have) (?<count>(?:a|an|one|two|three|four|five|six|seven|eight|\d) (?:[\p{L}-]+ )?(?:kids?|child|children|sons?|daughters?))(?:$|[ ,.])/iu.exec(
          rest,
        )?.groups?.count
      const status: Reading = { attribute: 'relationship', value: value.toLowerCase() }
      if (count !== undefined) return [status, { attribute: 'children', value: count }]
      const to = /^ to (?<who>.+)$/.exec(rest)?.groups?.who
      const spouse = to === undefined ? null : readName(to)
      if (spouse === null || !/^married$/i.test(value)) return status
      return [status, { attribute: 'partner', value: spouse.value, says: '{who} is married to {value}' }]
    },
  },
  {
    pattern: new RegExp(
      String.raw`^(?:I and )?(?:my (?:${relationWords})|[\p{L}'-]+)(?:,? \p{Lu}[\p{L}'-]+,?)? and I (?:(?:have )?(?:just |recently |finally )?(?<end>broke up|broken up|split up|split|separated|parted ways|(?:got|are getting|got a) divorced?|are divorced|are no longer together|are not together anymore)|(?:just |recently |finally )?(?:got|are) (?<status>engaged|married))(?<rest>.*)$`,
      'iu',
    ),
    read: ({ end, status }) => ({
      attribute: 'relationship',
      value: status ?? (/divorc/.test(end ?? '') ? 'divorced' : 'separated'),
    }),
  },
  {
    pattern:
      /^(?:I (?:broke up|have broken up|split up) with my (?:boyfriend|girlfriend|partner|fiancée?|bf|gf)|my (?:boyfriend|girlfriend|partner|fiancée?|bf|gf|ex) (?:broke up with me|dumped me|left me)|I (?:broke|split) up(?=$|,| (?:last|in|a|this|two|three|recently|yesterday|after|because|and|with)\b))/i,
    read: (_, { plural, text }) =>
      plural || !/^I (?:broke|split) up$/i.test(text) ? { attribute: 'relationship', value: 'separated' } : null,
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*got a divorce(?:$|,.*| (?:last|in|this|two|three|a|from my|after)\b.*)/i,
    read: () => ({ attribute: 'relationship', value: 'divorced' }),
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )?(?:separated|parted ways|split up|broken up|broke up)(?:$|,.*| (?:last|in|this|two|three|a|recently|after)\b.*)/i,
    read: (_, { plural }) => (plural ? { attribute: 'relationship', value: 'separated' } : null),
  },
  {
    pattern: /^I am no longer (?<value>single|married|engaged|in a relationship)(?:$|,.*)/i,
    read: ({ value = '' }) => ({ attribute: 'relationship', value: value.toLowerCase(), ends: true }),
  },
  {
    pattern:
      /^I am an? (?<value>widower|widow|divorcee|single (?:mother|father|mum|mom|dad|parent))(?![\w-])(?<rest>.*)$/i,
    read: ({ value = '', rest = '' }) =>
      isHarmless(rest.trim()) || /^ (?:of|to) /.test(rest)
        ? { attribute: 'relationship', value: value.toLowerCase(), says: '{who} is a {value}' }
        : null,
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally |legally )*changed my (?:first |full |legal )?(?:name|surname|last name|family name) to (?<rest>.+)$/i,
    read({ rest = '' }, { lowerCase }) {
      const found = readName(rest, lowerCase)
      return found !== null && isHarmless(found.rest) ? name(found.value) : null
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*divorced(?: (?:in|last|this|two|three|four|five|\d|years) ?.*)?$/i,
    read: () => ({ attribute: 'relationship', value: 'divorced' }),
  },
  // Age and birthday.
  {
    pattern:
      /^I (?:am|turned|just turned|am only|am just) (?<age>\d{1,3})(?<unit>(?: |-)?(?:years? (?:old|young)|yrs? old|y\/?o|yo|years of age))?(?<rest>.*)$/i,
    read({ age = '', unit, rest = '' }, { text, lowerCase }) {
      const years = Number(age)
      if (years < 5 || years > 115) return null
      if (
        unit === undefined &&
        /turned/i.test(text) &&
        !/^(?:$|[,.!]| (?:last|this|in|on|yesterday|today|recently|a|two|three|and|so|just)\b)/i.test(rest)
      )
        return null
      const clear = unit !== undefined || /turned/i.test(text)
      if (
        !clear &&
        (years < 12 ||
          !/^(?:$|,| from | and (?:recently|newly|i\b|live|work|a |from|single|married|still)| (?:now|this year|today)$)/i.test(
            rest,
          ))
      )
        return null
      if (/^ ?(?:%|percent|weeks|months|minutes|hours|days|cm|kg|lbs|feet|km|miles|°)/.test(rest)) return null
      const from = /^,? from (?<place>.+)$/i.exec(rest)?.groups?.place
      const place = from === undefined ? null : readPlace(from, lowerCase)
      return [
        { attribute: 'age', value: age },
        ...(place !== null && isHarmless(place.rest) ? [{ attribute: 'origin', value: place.value }] : []),
      ]
    },
  },
  {
    pattern:
      /^I am (?:a|the) (?:proud |single |stay-at-home |working |busy )*(?:mother|father|mum|mom|dad|parent|mummy|daddy) (?:of|to) (?<count>two|three|four|five|six|\d)(?: (?:[a-z]+ )?(?<who>boys|girls|kids|children|sons|daughters|teenagers|toddlers))?(?:$|,.*| (?:and|who|aged|now|living|from|in)\b.*)/i,
    read({ count = '', who = 'children' }, { text }) {
      const children: Reading = { attribute: 'children', value: `${count} ${who}` }
      const atHome = /stay-at-home (?:mother|father|mum|mom|dad|parent)/i.exec(text)?.[0]
      return atHome === undefined
        ? children
        : [{ attribute: 'job', value: atHome, says: '{who} is a {value}' }, children]
    },
  },
  {
    pattern:
      /^I (?:am|(?:have )?(?:just )?turned) (?<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?<ones>one|two|three|four|five|six|seven|eight|nine))?(?<unit> years old)?(?: (?:today|yesterday|this year|last \w+|in \w+))?$/i,
    read: ({ tens = '', ones, unit }, { text }) =>
      unit === undefined && !/turned/i.test(text)
        ? null
        : {
            attribute: 'age',
            value: String(
              (tensInWords.indexOf(tens.toLowerCase()) + 2) * 10 + onesInWords.indexOf(ones?.toLowerCase() ?? ''),
            ),
          },
  },
  {
    pattern: /^my age is (?<age>\d{1,3})$/i,
    read: ({ age = '' }) => ({ attribute: 'age', value: age }),
  },
]

import type { Rule } from '../rule-language.ts'
import { employer } from './employers.ts'
import { isNamedOrVehicle, isTechnology } from './things.ts'
import { isHarmless, listOf, upTo } from './values.ts'

const thing = String.raw`[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,3}?`

/** One thing for another, what is used no longer, who was let go. */
export const changeRules = (): readonly Rule[] => [
  {
    pattern: new RegExp(
      String.raw`^I (?:have )?(?:just |recently |finally )*(?:swapped|traded|exchanged|part-exchanged)(?: in| out)? (?:my|the)(?: old)? (?<old>${thing}) (?:in )?for (?:a|an|my)(?: (?:new|used|second-hand|secondhand))? (?<value>${thing})(?<rest>(?: (?:last|this|yesterday|in|on|because|and|so)\b.*)?)$`,
      'iu',
    ),
    read({ old = '', value = '' }) {
      if (isTechnology(old) && isTechnology(value))
        return [
          { attribute: 'uses', value: old, ends: true },
          { attribute: 'uses', value },
        ]
      const isOwned = [old, value].every((name) => isNamedOrVehicle(name) && !name.split(' ').some(isTechnology))
      return isOwned
        ? [
            { attribute: 'owns', value: old, ends: true },
            { attribute: 'owns', value },
          ]
        : null
    },
  },
  {
    pattern:
      /^I (?:(?:do not|no longer|used to) use|(?:have )?(?:just |recently |finally )*(?:stopped using|quit using|ditched|dropped|gave up on|given up on)) (?<rest>[\p{L}\p{N}].+)$/iu,
    read({ rest = '' }, { text }) {
      if (/^I do not/i.test(text) && !/\banymore\b/i.test(rest)) return null
      const found = upTo(rest.replace(/ (?:anymore|for good|altogether|entirely|completely)\b.*$/i, ''), 4)
      const things = found === null || !isHarmless(found.rest) ? [] : listOf(found.value)
      return things.length > 0 && things.every(isTechnology)
        ? things.map((value) => ({ attribute: 'uses', value, ends: true }))
        : null
    },
  },
  {
    pattern:
      /^(?:everything|all my (?:notes|files|code|data|work|stuff)|my (?:notes|code|files)) (?:is|are|lives?) in (?<value>[\p{L}\p{N}.+# -]{2,30}?)(?: now| these days)$/iu,
    read: ({ value = '' }) => (isTechnology(value) ? { attribute: 'uses', value } : null),
  },
  {
    pattern:
      /^(?:they|the company|my (?:boss|company|employer)|management) (?:have |has |just )*(?:let me go|laid me off|fired me|sacked me|made me redundant) from (?<rest>.+)$/i,
    read: ({ rest = '' }, clause) => employer(rest, clause, { ends: true }),
  },
]

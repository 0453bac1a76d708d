import type { Reading, Rule } from '../rule-language.ts'
import { isHarmless, listOf } from './values.ts'

/** Points at something in the conversation, or is no thing. */
export const pointing =
  /^(?:i|we|he|she|they|all the|it|this|that|these|those|you|your|him|her|them|his|their|its|how|what|when|where|why|which|whatever|everything|anything|nothing|something|someone|everyone|to (?:think|believe|say|admit|see (?:how|that|you)|know|imagine|ask|bother|interrupt|complain|break|disappoint|point|add|mention|hear|have|be|get|tell|inform|report|use (?:it|this|that))|being|having|getting|the (?:way|idea|fact|thought|look|sound of (?:it|that)|new|first|second|third|last|one|ones|other|same|result|results|concept|plan|design|answer|option|version|suggestion|part|feel of|style|tone|vibe|title|name|draft|example|color scheme|layout|proposal|approach|list|direction|structure)|my|our|option|version|idea|number|more|less|most|least|better|best|as|if|some of|all of|both|either|neither|one|none|not|and|or|but|so|too|very|much|a (?:lot|bit|little|few)\b|an? (?:answer|idea|explanation|copy|quick)|is|are|was|in|on|at|for|with|from|by|doing (?:this|that|it)|working with you|talking to you|where|here|there|dislike|hate|love|like|hearing|seeing (?:you|that)|myself|mine|me|us|each other|life|lists? of|most)(?![\w-])/i
export const pointingInside =
  /\b(?:this|that|these|those|your|you|option|suggestion|suggestions|idea|ideas|version|draft|ones?|it|him|her|them|above|below|better|best|answer|proposal|here|emails? you|approach|recommendations?|response)\b/i
const theThings =
  /^the (?:sea|ocean|mountains?|beach|outdoors|rain|theatre|theater|opera|ballet|heat|cold|snow|forest|woods|countryside|gym|blues|piano|guitar|violin|cello|harp|drums|cinema|city|smell of .+|taste of .+|sound of .+|winter|summer|autumn|spring|fall|dentist|dark|news|internet|\p{Lu}.*)$/u

/** What somebody likes or does not: one or several, `jazz, hiking and old films`; null where it is not said for sure. */
export function readThings(rest: string): readonly string[] | null {
  const cut = rest
    .replace(/^both /i, '')
    .split(
      /\s(?:because|since|so much|so|but|when|whenever|although|though|while|as|if|which|where|especially|very much|a lot|the most|more than|most of all|more|most|too|anyway|now|these days|please|thanks|in general|in particular|as well|at all|and i\b|except|even|despite|instead|best|better|like crazy|with all my heart|with a passion|lately|right now|btw)\b/i,
    )[0]!
    .replace(/\s*[;:!?\u2013\u2014(].*$/, '')
    .replace(/\s+[-\u2013]\s.*$/, '')
    .replace(/\.(?=\s|$).*$/, '')
    .trim()
  const things = listOf(cut).map((thing) =>
    thing
      .replace(/^(?:to |also |especially |both |some )+(?=\S)/i, '')
      .replace(/^(?:all kinds of|any kind of|lots of|listening to|watching|reading) (?=\p{Lu}|all)/u, '')
      .replace(/[.,]+$/, ''),
  )
  // `a safe, inviting place` is no list.
  if (cut.includes(',') && !/(?:,| and| &) [^,]*$/.test(cut.replace(/, (?!and\b|&)[^,]*$/, ''))) {
    if (!/ (?:and|&) /.test(cut) && things.some((thing) => thing.split(' ').length > 2)) return null
  }
  if (pointing.test(cut) || things.length === 0 || things.length > 8) return null
  const bad = (thing: string) =>
    thing === '' ||
    thing.split(' ').length > 7 ||
    pointing.test(thing) ||
    pointingInside.test(thing) ||
    (/^the /i.test(thing) && !theThings.test(thing)) ||
    /\b(?:or|not|never|if|is|are|was|were|would|could|did|has|have)\b/i.test(thing) ||
    !/\p{L}{2}/u.test(thing)
  return things.some(bad) ? null : things
}

const each = (attribute: string, rest: string, ends = false): readonly Reading[] | null => {
  const things = readThings(rest)
  return things === null ? null : things.map((value) => ({ attribute, value, ends }))
}

const diets =
  '(?:vegetarian|vegan|pescatarian|pescetarian|flexitarian|keto|paleo|kosher|halal|gluten-free|gluten free|dairy-free|lactose-free|teetotal|plant-based|pure veg|low-carb|low-salt|low-sodium|low-fat|low-sugar|low-fodmap|mediterranean)'
const favoriteWord = (what: string): string =>
  what
    .toLowerCase()
    .trim()
    .replace(/\bcolour\b/, 'color')
    .replace(/s$/, (s) => (/(?:ss|us|is|series)$/.test(what) ? s : ''))
    .replace(/\s+/g, '-')

function favorite(what: string, value: string): Reading | null {
  if (/\b(?:thing|part|aspect|one|way|bit|answer|of|about|so far|person|moment|kind|type)\b/i.test(what)) return null
  if (pointing.test(value) && !/^the \p{Lu}/u.test(value) && !/^the (?:sea|beach|one ring)/.test(value)) return null
  const cut = value
    .replace(
      /,? (?:because|since|but|so|by|especially|and i|and my|though|although|which|as|when|if|from|with(?! the))\b.*$/i,
      '',
    )
    .replace(/[;:!(\u2013\u2014].*$/, '')
    .replace(/,(?!.*\band\b).*$/, '')
    .replace(
      /^(?:definitely|probably|still|always|now|called|currently|actually|hands down|easily|obviously|either) /i,
      (word) => (/probably|either/i.test(word) ? '?' : ''),
    )
    .trim()
  if (
    cut === '' ||
    cut.includes('?') ||
    cut.split(' ').length > 7 ||
    / or /.test(cut) ||
    /\b(?:not|you|your|this|that)\b/i.test(cut)
  )
    return null
  return { attribute: `favorite.${favoriteWord(what)}`, value: cut.replace(/[.,]+$/, '') }
}

/** Likes, dislikes, favorites, food. */
export const tasteRules = (): readonly Rule[] => [
  {
    pattern:
      /^I (?:do not (?:really )?(?:like|love|enjoy)|do not care for|am not (?:a (?:big |huge )?fan of|keen on|fond of|into|a fan of)|hate|dislike|detest|loathe|despise|can not stand|can not bear|can not abide|absolutely hate|am no fan of) (?<rest>.+)$/i,
    read({ rest = '' }, { text, plural }) {
      if (plural) return null
      if (/\b(?:anymore|any longer|any more)\b/i.test(rest))
        return /^I (?:do|am) not/i.test(text)
          ? each('likes', rest.replace(/,? (?:anymore|any longer).*$/i, ''), true)
          : null
      return each('dislikes', rest)
    },
  },
  {
    pattern:
      /^I (?:no longer (?:like|love|enjoy)|used to (?:like|love|enjoy|be into|be a (?:big |huge )?fan of)|have gone off|went off|am no longer (?:into|a fan of|keen on)|stopped liking|am over) (?<rest>.+)$/i,
    read: ({ rest = '' }, { text }) => (/^I (?:am over|went off)/i.test(text) ? null : each('likes', rest, true)),
  },
  {
    pattern: /^I (?:no longer (?:hate|dislike|mind)|used to (?:hate|dislike)|do not (?:hate|dislike)) (?<rest>.+)$/i,
    read: ({ rest = '' }, { text }) =>
      /^I do not/i.test(text) && !/\banymore\b/i.test(rest)
        ? null
        : each('dislikes', rest.replace(/ anymore.*$/i, ''), true),
  },
  {
    pattern:
      /^I (?:love|like|enjoy|adore|have (?:always )?(?:loved|liked|enjoyed|adored)|have (?:recently |really )?(?:gotten|got|become|been) (?:really |very )?into|am (?:really |very |quite |totally |super )?into|am (?:a|an) (?:(?:big|huge|massive|great|real|avid|lifelong|total|devoted) )*(?:fan|lover) of|am (?:very |really |quite |so )?(?:fond of|keen on|partial to|passionate about|crazy about|mad about|obsessed with)|am enjoying|have a (?:soft spot|passion|weakness) for) (?<rest>.+)$/i,
    read({ rest = '' }, { plural, sentence }) {
      if (plural || /\b(?:anymore|any longer|used to)\b/i.test(sentence)) return null
      return each('likes', rest)
    },
  },
  {
    pattern:
      /^my (?:(?:main|favorite|biggest|only|other|current) )?(?:hobby|hobbies|passion|passions|interests?|pastimes?)(?: right now)? (?:is|are|include|includes) (?<rest>.+)$/i,
    read: ({ rest = '' }) => each('likes', rest),
  },
  {
    pattern: /^I (?:would )?(?:much |always |usually |strongly |generally )*prefer (?<rest>.+)$/i,
    read({ rest = '' }, { plural, text }) {
      if (
        plural ||
        // A choice for once is no taste.
        /\b(?:today|tonight|tomorrow|for now|right now|this time|this once|just once)\b/i.test(rest) ||
        /^I would/i.test(text) ||
        /^(?:not|it|that|this|to (?:not|be|have)\b|you|the (?:first|second|former|latter|other|one)|if|when)\b/i.test(
          rest,
        )
      )
        return null
      const [better, , worse] = rest.split(/ (to|over|rather than|instead of|than) (?!be\b|have\b|do\b)/i)
      const things = readThings(better!.replace(/^to /, ''))
      if (things === null || things.length !== 1) return null
      const value = things[0]!
      const other = worse === undefined ? null : (readThings(worse)?.[0] ?? null)
      if (/^(?:metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles|kilograms|pounds)\b/i.test(value)) {
        return {
          attribute: 'units',
          value: value.toLowerCase().replace(/ (?:units?|system|measurements?)$/, ''),
          says: '{who} prefers {value} units',
        }
      }
      return {
        attribute: 'prefers',
        value,
        says: other === null ? '{who} prefers {value}' : `{who} prefers {value} to ${other}`,
      }
    },
  },
  {
    pattern:
      /^my (?:all[- ]time |absolute |current |new |number one )?favorite (?<what>[\p{L}-]+(?: [\p{L}-]+){0,2}?)(?: of all time| ever| right now| these days)? (?:is|are|has always been|have always been|has to be|has got to be|must be) (?<rest>.+)$/iu,
    read: ({ what = '', rest = '' }, { plural }) => (plural ? null : favorite(what, rest)),
  },
  {
    pattern:
      /^(?<value>[\p{L}\p{N}][\p{L}\p{N}'. -]{1,40}?) (?:is|are) my (?:all[- ]time |absolute )?favorite (?<what>[\p{L}-]+(?: [\p{L}-]+)?)(?: of all time| ever)?$/iu,
    read: ({ value = '', what = '' }) =>
      /^(?:it|this|that|he|she|they|which|what|i)\b/i.test(value) ? null : favorite(what, value),
  },
  // Food.
  {
    pattern:
      /^I (?:(?:am|have been|was diagnosed) (?:(?:very|severely|highly|deathly|mildly|slightly|also|badly) )*allergic to|have (?:a|an)(?: (?:severe|bad|serious|mild|strong))? allergy to|have (?:severe |bad )?allergies to|can not have .{2,20} because I am allergic to) (?<rest>.+)$/i,
    read: ({ rest = '' }) =>
      /\banymore\b/i.test(rest) ? null : each('allergy', rest.replace(/^(?:both|all|any|most) (?:kinds of )?/i, '')),
  },
  {
    pattern: /^my (?:severe |bad )?(?<value>[\p{L}]+(?: [\p{L}]+)?) allergy (?:is|means|makes|has|can|stops)\b.*$/iu,
    read: ({ value = '' }) => ({ attribute: 'allergy', value }),
  },
  {
    pattern: /^I (?:am not allergic to|am no longer allergic to|outgrew my allergy to) (?<rest>.+)$/i,
    read: ({ rest = '' }, { text }) =>
      /no longer|outgrew/i.test(text) || /\banymore\b/i.test(rest)
        ? each('allergy', rest.replace(/ anymore.*$/i, ''), true)
        : null,
  },
  {
    pattern:
      /^I (?:have|suffer from)(?: (?:a|an))?(?: (?:severe|bad|serious|mild|strong|nasty))? (?<value>(?!food|no\b|skin|seasonal)[\p{L}]+(?: [\p{L}]+)?) allerg(?:y|ies)(?<rest>.*)$/iu,
    read: ({ value = '', rest = '' }) =>
      isHarmless(rest.trim()) && !/^(?:a|an|the|any|some|many|multiple|weird|lots)\b/i.test(value)
        ? { attribute: 'allergy', value }
        : null,
  },
  {
    pattern: new RegExp(
      `^I (?<how>am|have been|became|went|turned|have gone|follow|eat|have become|keep|am on|am now|am a|am strictly|am mostly)(?: (?:a|an|strictly|strict|fully|completely|pure))* (?<value>${diets})(?: diet)?(?<rest>.*)$`,
      'i',
    ),
    read({ how = '', value = '', rest = '' }, { plural }) {
      if (
        plural ||
        /^ (?:restaurant|food|cookbook|recipes?|meals?|options?|cooking|baking|for (?:a|one|two|three|\d|january|lent)|until|in (?:19|20)\d\d|when|curious|until|but only|on (?:weekdays|mondays)|sometimes|leather|most)/i.test(
          rest,
        )
      )
        return null
      if (
        !/^(?:$|[,.!]| (?:and|but|for|since|now|btw|by the way|fyi|please|pls|thanks|because|so|these days|at the moment|again|too|myself|due|as of|after|by choice|in (?:january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d)|last|this|a|two|three|\d|about|almost|nearly|person|with|who|if)\b)/i.test(
          rest,
        )
      )
        return null
      if (how === 'have been' && !/ (?:for|since) /i.test(rest)) return null
      return { attribute: 'diet', value: value.toLowerCase().replace('free', 'free') }
    },
  },
  {
    pattern: new RegExp(
      `^I (?:have )?(?:gone|went|switched|changed) from (?:being )?(?:a )?(?<old>${diets}) to (?:being )?(?:a )?(?:fully |strictly |completely )?(?<value>${diets})$`,
      'i',
    ),
    read: ({ value = '' }, { plural }) => (plural ? null : { attribute: 'diet', value: value.toLowerCase() }),
  },
  {
    pattern: new RegExp(
      `^I (?:am no longer|am not|used to be|stopped being|quit being)(?: (?:a|an))? (?<value>${diets})(?<rest>.*)$`,
      'i',
    ),
    read: ({ value = '', rest = '' }, { text }) =>
      /^I am not/i.test(text) && !/\banymore\b/i.test(rest)
        ? null
        : { attribute: 'diet', value: value.toLowerCase(), ends: true },
  },
  {
    pattern:
      /^I (?:do not|never|no longer|can not(?: (?:have|tolerate|digest)\b)?|stopped|quit|gave up|am off|am now off|have cut out|cut out|am cutting out|have stopped|have given up|have quit|avoid|have to avoid|must avoid|need to avoid|am not allowed to)(?: (?:ever|really|even))? ?(?<verb>eat|drink|eating|drinking|consume|touch)? (?<rest>.+)$/i,
    read({ verb, rest = '' }, { text, plural }) {
      if (
        plural ||
        /\bfor (?:lent|(?:a|the|one|two|three|\d+) (?:days?|weeks?|months?|while)|now|january|ramadan)\b/i.test(rest) ||
        /\b(?:anymore|enough|leftovers|much|until|before|after|yet|today|tonight|at night|in the (?:morning|evening)|on (?:weekdays|weekends|mondays)|too|unless|when|during|that|this|it|out|alone|here|there|a lot|properly|well)\b/i.test(
          rest.replace(/ anymore(?:, (?:only|just) .*)?$/i, ''),
        )
      )
        return null
      const food =
        /^(?:meat|red meat|pork|beef|fish|seafood|shellfish|dairy|gluten|sugar|alcohol|caffeine|coffee|eggs?|nuts|peanuts|milk|lactose|wheat|soy|carbs|chicken|lamb|mushrooms|onions|garlic|spicy food|fast food|junk food|processed food|bread|chocolate|cheese|wine|beer|soda|tea|animal products|beef or pork|pork or alcohol|meat or fish)(?![\w-])/i
      if (
        verb === undefined &&
        !(
          /^I (?:avoid|am off|am now off|have cut out|cut out|am cutting out|(?:have to|must|need to) avoid|can not (?:have|tolerate|digest)|gave up|quit|have given up|have quit)/i.test(
            text,
          ) && food.test(rest)
        )
      )
        return null
      if (verb !== undefined && /^touch/i.test(verb) && !food.test(rest)) return null
      const things = listOf(
        rest
          .replace(/ anymore(?:, (?:only|just) .*)?$/i, '')
          .replace(/ or /g, ', ')
          .replace(/ (?:because|since|for|so|as|but|at all|due).*$/i, '')
          .replace(/[.,]+$/, ''),
      ).map((thing) => thing.replace(/^(?:any|much) /i, ''))
      if (verb === undefined && !things.every((thing) => food.test(thing))) return null
      if (things.some((thing) => thing.split(' ').length > 3 || !/^\p{L}/u.test(thing) || pointing.test(thing)))
        return null
      return things.map((value) => ({
        attribute: 'avoids',
        value,
        says:
          verb === undefined
            ? '{who} avoids {value}'
            : `{who} does not ${/drink/i.test(verb) ? 'drink' : 'eat'} {value}`,
      }))
    },
  },
  {
    pattern:
      /^I (?:started|have started|am|went back to|have gone back to)(?: (?:now|back to))? (?<verb>eat|drink)ing (?<value>[\p{L}]+(?: [\p{L}]+)?) again$/iu,
    read: ({ value = '' }) => ({ attribute: 'avoids', value, ends: true }),
  },
]

import type { Reading, Rule } from '../rule-language.ts'
import { isHarmless, listOf, titled, upTo } from './values.ts'

/** Points at something in the conversation, or is no thing. */
const pointing =
  /^(?:it|this|that|these|those|you|your|him|her|them|his|their|its|how|what|when|where|why|which|whatever|everything|anything|nothing|something|someone|everyone|to (?:think|believe|say|admit|see (?:how|that|you)|know|imagine|ask|bother|interrupt|complain|break|disappoint|point|add|mention|hear|have|be|get|tell|inform|report|use (?:it|this|that))|being|having|getting|the (?:way|idea|fact|thought|look|sound of (?:it|that)|new|first|second|third|last|one|ones|other|same|result|results|concept|plan|design|answer|option|version|suggestion|part|feel of|style|tone|vibe|title|name|draft|example|color scheme|layout|proposal|approach|list|direction|structure)|my|our|option|version|idea|number|more|less|most|least|better|best|as|if|some of|all of|both|either|neither|one|none|not|and|or|but|so|too|very|much|a (?:lot|bit|little|few)\b|an? (?:answer|idea|explanation|copy|quick)|is|are|was|in|on|at|for|with|from|by|doing (?:this|that|it)|working with you|talking to you|where|here|there|dislike|hate|love|like|hearing|seeing (?:you|that)|myself|mine|me|us|each other|life|lists? of|most)\b/i
const pointingInside =
  /\b(?:this|that|these|those|your|you|option|suggestion|suggestions|idea|ideas|version|draft|ones?|it|him|her|them|above|below|better|best|answer|proposal|here|emails? you|approach|recommendations?|response)\b/i
const theThings =
  /^the (?:sea|ocean|mountains?|beach|outdoors|rain|theatre|theater|opera|ballet|heat|cold|snow|forest|woods|countryside|gym|blues|piano|guitar|violin|cello|harp|drums|cinema|city|smell of .+|taste of .+|sound of .+|winter|summer|autumn|spring|fall|dentist|dark|news|internet|\p{Lu}.*)$/u

/** What somebody likes or does not: one or several, `jazz, hiking and old films`; null where it is not said for sure. */
export function readThings(rest: string): readonly string[] | null {
  const cut = rest
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

const languageNames =
  'english|german|french|spanish|italian|portuguese|dutch|swedish|norwegian|danish|finnish|polish|russian|ukrainian|czech|slovak|hungarian|romanian|bulgarian|greek|turkish|arabic|hebrew|persian|farsi|hindi|urdu|bengali|punjabi|gujarati|marathi|tamil|telugu|kannada|malayalam|sinhala|nepali|mandarin|cantonese|chinese|japanese|korean|vietnamese|thai|indonesian|malay|tagalog|filipino|swahili|yoruba|igbo|hausa|zulu|xhosa|afrikaans|amharic|catalan|basque|galician|welsh|irish|gaelic|scots|icelandic|estonian|latvian|lithuanian|croatian|serbian|bosnian|slovenian|albanian|macedonian|armenian|georgian|kazakh|mongolian|latin|esperanto|sign language|american sign language|british sign language|asl|bsl|luxembourgish|maltese|swiss german|pashto|kurdish|somali|tigrinya|hinglish'
const someLanguage = new RegExp(String.raw`\b(?:${languageNames})\b`, 'gi')

function languagesIn(text: string, attribute = 'language'): readonly Reading[] | null {
  if (/\b(?:not|never|or|no)\b/i.test(text)) return null
  const names = text.match(someLanguage)
  return names === null
    ? null
    : names.map((name) => ({
        attribute,
        value: /^(?:asl|bsl)$/i.test(name) ? name.toUpperCase() : titled(name.toLowerCase()),
      }))
}

const diets =
  '(?:vegetarian|vegan|pescatarian|pescetarian|flexitarian|keto|paleo|kosher|halal|gluten-free|gluten free|dairy-free|lactose-free|teetotal|plant-based|pure veg|low-carb)'
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

const vehicles =
  'car|house|flat|apartment|condo|cottage|cabin|farm|bike|bicycle|motorbike|motorcycle|scooter|boat|van|truck|camper|campervan|piano|guitar|violin|drum kit|synth|camera|telescope|laptop|macbook|iphone|ipad|e-bike|ebike|tesla|kayak|sailboat|3d printer|printer|espresso machine|record player|kindle|restaurant|shop|café|cafe|bakery|bookshop|horse'

export const preferenceRules: readonly Rule[] = [
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
        /^I would/i.test(text) ||
        /^(?:not|it|that|this|to not|you|the (?:first|second|former|latter|other|one)|if|when)\b/i.test(rest)
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
      if (how === 'have been' && !/ (?:for|since) /i.test(rest)) return null
      return { attribute: 'diet', value: value.toLowerCase().replace('free', 'free') }
    },
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
      /^I (?:do not|never|can not|stopped|quit|gave up|have stopped|have given up|have quit|avoid|have to avoid|must avoid|need to avoid|am not allowed to)(?: (?:ever|really|even))? ?(?<verb>eat|drink|eating|drinking|consume|touch)? (?<rest>.+)$/i,
    read({ verb, rest = '' }, { text, plural }) {
      if (
        plural ||
        /\b(?:anymore|enough|much|until|before|after|yet|today|tonight|at night|in the (?:morning|evening)|on (?:weekdays|weekends|mondays)|too|unless|when|during|that|this|it|out|alone|here|there|a lot|properly|well)\b/i.test(
          rest.replace(/ anymore$/i, ''),
        )
      )
        return null
      const food =
        /^(?:meat|red meat|pork|beef|fish|seafood|shellfish|dairy|gluten|sugar|alcohol|caffeine|coffee|eggs?|nuts|peanuts|milk|lactose|wheat|soy|carbs|chicken|lamb|mushrooms|onions|garlic|spicy food|fast food|junk food|processed food|bread|chocolate|cheese|wine|beer|soda|tea|animal products|beef or pork|pork or alcohol|meat or fish)\b/i
      if (
        verb === undefined &&
        !(
          /^I (?:avoid|(?:have to|must|need to) avoid|gave up|quit|have given up|have quit)/i.test(text) &&
          food.test(rest)
        )
      )
        return null
      if (verb !== undefined && /^touch/i.test(verb) && !food.test(rest)) return null
      const things = listOf(
        rest
          .replace(/ anymore$/i, '')
          .replace(/ or /g, ', ')
          .replace(/ (?:because|since|for|so|as|but|at all|due).*$/i, '')
          .replace(/[.,]+$/, ''),
      ).map((thing) => thing.replace(/^(?:any|much) /i, ''))
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
  // Languages.
  {
    pattern:
      /^I (?:(?:can )?speak|am (?:also )?(?:fluent|bilingual|conversational|proficient) in|grew up speaking|am a native speaker of|know) (?<rest>.+)$/i,
    read({ rest = '' }, { text }) {
      const names = languagesIn(rest.replace(/ (?:with|to|at|because|but|so|since|when) .*$/i, ''))
      const bare = rest
        .replace(someLanguage, '')
        .replace(
          /\b(?:and|a|an|little|bit|of|some|fluent|fluently|basic|broken|conversational|native|natively|well|as|also|both|very|good|pretty|decent|at|home|level|intermediate|beginner|plus|with|my|kids|wife|husband|at|work)\b/gi,
          '',
        )
        .replace(/[\s,.&]+/g, '')
      if (names === null || (bare.length > 12 && /^I know/i.test(text)) || bare.length > 30) return null
      return /^I know/i.test(text) && bare !== '' ? null : names
    },
  },
  {
    pattern:
      /^my (?:native|first|second|third|mother|main)(?: (?:language|tongue))? ?(?:language|tongue)? is (?<rest>.+)$/i,
    read: ({ rest = '' }) => languagesIn(rest.replace(/ (?:but|and i|so|because) .*$/i, '')),
  },
  {
    pattern: new RegExp(`^I am (?:a |an )?(?:native )?(?<value>${languageNames}) (?:native )?speaker`, 'i'),
    read: ({ value = '' }) => languagesIn(value),
  },
  {
    pattern:
      /^I (?:am (?:currently )?(?:learning|teaching myself|taking)|have (?:just |recently )?(?:started|been) learning|started learning|started to learn|study|am studying|am picking up|am relearning) (?<rest>.+)$/i,
    read({ rest = '' }, { text }) {
      const names = languagesIn(rest.split(/ (?:with|on|at|for|in|because|so|since|by|and i)\b/i)[0]!, 'learning')
      if (
        names !== null &&
        (names.length > 1 ||
          new RegExp(
            `^(?:(?:some|basic|a bit of|a little) )?(?:${languageNames})(?: (?:lessons|classes|courses?|on duolingo|again))?\\b`,
            'i',
          ).test(rest))
      ) {
        return /^I (?:study|am studying)/i.test(text) && / (?:literature|philology|history)/i.test(rest) ? null : names
      }
      if (/^I (?:study|am studying|am taking)/i.test(text)) return null
      const found = upTo(rest.replace(/^(?:to |the )(?=\p{L})/iu, '').replace(/^how to /i, ''), 4)
      if (
        found === null ||
        !isHarmless(found.rest) ||
        pointing.test(found.value) ||
        pointingInside.test(found.value) ||
        /^(?:a lot|new|so|about|from|more|lots|things|the|of|as|my)\b/i.test(found.value)
      )
        return null
      return { attribute: 'learning', value: found.value.replace(/^(?:the|some) /i, '') }
    },
  },
  {
    pattern:
      /^I (?:gave up on|have given up on|gave up|stopped learning|quit learning|am no longer learning|do not learn) (?:learning )?(?<rest>.+)$/i,
    read({ rest = '' }, { text }) {
      if (/^I do not/i.test(text) && !/\banymore\b/i.test(rest)) return null
      const names = new RegExp(`^(?:${languageNames})\\b`, 'i').test(rest) ? languagesIn(rest, 'learning') : null
      return names?.map((name) => ({ ...name, ends: true })) ?? null
    },
  },
  {
    pattern:
      /^I (?:play|have (?:played|been playing)) (?:the |a (?:bit|little|lot) of )?(?<value>piano|guitar|bass guitar|bass|electric guitar|acoustic guitar|drums|violin|viola|cello|flute|clarinet|saxophone|sax|trumpet|trombone|ukulele|harp|accordion|keyboard|banjo|oboe|harmonica|recorder|organ|sitar|tabla|football|soccer|tennis|table tennis|basketball|volleyball|rugby|cricket|hockey|field hockey|ice hockey|golf|squash|badminton|padel|pickleball|chess|go|bridge|poker|baseball|softball|handball|water polo|lacrosse|darts|snooker|pool|video games|board games|minecraft|fortnite|league of legends|valorant|dota|counter-?strike|d&d|dungeons (?:and|&) dragons|magic the gathering)(?: (?:and|&) (?:the )?(?<second>piano|guitar|bass|drums|violin|cello|flute|football|tennis|chess|basketball|cricket|hockey|golf|squash|badminton))?(?<rest>.*)$/i,
    read({ value = '', second, rest = '' }, { text }) {
      if (/^I have played/i.test(text) && !/\b(?:for|since)\b/.test(rest)) return null
      if (
        /^ (?:video|role|when I was|as a child|as a kid|in (?:school|college|19|20)|today|tonight|tomorrow)/i.test(rest)
      )
        return null
      return [value, ...(second === undefined ? [] : [second])].map((played) => ({ attribute: 'plays', value: played }))
    },
  },
  {
    pattern: /^I (?:used to|no longer) play (?:the )?(?<value>[\p{L}]+(?: [\p{L}]+)?)(?<rest>.*)$/iu,
    read: ({ value = '' }) =>
      /^(?:with|it|a|for|in|on)\b/i.test(value)
        ? null
        : { attribute: 'plays', value: value.replace(/ (?:when|as|in|for|but|at)$/i, ''), ends: true },
  },
  // Things.
  {
    pattern: /^I (?:drive|ride|own) (?<value>(?:a|an|two|three)(?: [\p{L}\p{N}'-]+){1,5})(?<rest>.*)$/iu,
    read({ value = '', rest = '' }, { text }) {
      if (
        /\b(?:hard|bargain|lot|bit|point|long|mean|stake|share|copy|bus|train|taxi|uber)\b/i.test(value) ||
        /^,? ?(?:when|if)\b/i.test(rest)
      )
        return null
      const found = upTo(value, 6)
      if (found === null || !(isHarmless(rest.trim()) || rest === '')) return null
      const thing = found.value.replace(/^an? /i, '')
      return {
        attribute: 'owns',
        value: thing,
        says: `{who} ${/^I drive/i.test(text) ? 'drives' : /^I ride/i.test(text) ? 'rides' : 'owns'} ${found.value.replace(thing, '{value}')}`,
      }
    },
  },
  {
    pattern: new RegExp(
      String.raw`^I (?:have )?(?:just |recently |finally )*(?:bought|purchased|got myself|treated myself to|have got|got) (?<value>(?:a|an|my first|my own)(?: [\p{L}\p{N}'-]+){0,3}? ?(?:${vehicles}))(?<rest>.*)$`,
      'iu',
    ),
    read({ value = '', rest = '' }, { text }) {
      if (
        !/bought|purchased|myself/i.test(text) ||
        /^ (?:for my|for his|for her|for their|ticket|lease|magazine|key|case|insurance|book|rental)/i.test(rest) ||
        !/^(?:$|[ ,!])/.test(rest)
      )
        return null
      return { attribute: 'owns', value: value.replace(/^(?:an?|my first|my own) /i, ''), says: '{who} owns a {value}' }
    },
  },
  {
    pattern:
      /^I (?:no longer (?:have|own|drive)|do not (?:have|own|drive)) (?:(?:a|an|my|the|any) )?(?<value>[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,2})$/iu,
    read({ value = '' }, { text }) {
      if (/^I do not/i.test(text) && !/ anymore$/i.test(value)) return null
      const thing = value.replace(/ anymore$/i, '')
      return new RegExp(`\\b(?:${vehicles})s?$|\\p{Lu}`, 'iu').test(thing)
        ? { attribute: 'owns', value: thing, ends: true }
        : null
    },
  },
  {
    pattern: /^I collect (?<rest>.+)$/i,
    read({ rest = '' }) {
      const things =
        /\b(?:data|evidence|information|unemployment|benefits|feedback|from|at|up|dust|thoughts|kids?|parcel|package|order)\b/i.test(
          rest,
        )
          ? null
          : readThings(rest)
      return things?.map((value) => ({ attribute: 'likes', value, says: '{who} collects {value}' })) ?? null
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*(?:sold|got rid of|gave away|scrapped|crashed and scrapped) my (?<value>[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,2})(?<rest>.*)$/iu,
    read: ({ value = '' }) => {
      const found = upTo(value, 3)
      return found === null || /^(?:old|soul|stuff|things)$/i.test(found.value)
        ? null
        : { attribute: 'owns', value: found.value.replace(/^old /i, ''), ends: true }
    },
  },
  {
    pattern:
      /^my (?:car|bike|motorbike|phone|laptop|computer|camera|van|truck) is (?<value>an? [\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,3})(?<rest>.*)$/iu,
    read({ value = '', rest = '' }) {
      if (
        !/\p{Lu}|i(?:phone|pad)/u.test(value) ||
        /\b(?:bit|mess|wreck|total|piece|disaster)\b/i.test(value) ||
        !isHarmless(rest.trim())
      )
        return null
      return { attribute: 'owns', value: value.replace(/^an? /i, '') }
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*(?:switched|changed|migrated|converted|moved) (?:over )?(?:from (?<old>[\p{L}\p{N}+#.' -]{2,30}?) )to (?<value>[\p{L}\p{N}+#.'-]+(?: [\p{L}\p{N}+#.'-]+){0,2})(?<rest>.*)$/iu,
    read({ old = '', value = '' }, { text }) {
      const found = upTo(value, 3)
      if (found === null || pointing.test(found.value) || pointing.test(old) || /^(?:a|an|the|my)\b/i.test(old))
        return null
      if (/\bmoved\b/i.test(text) && !isTechnology(found.value) && !isTechnology(old)) return null
      return [
        { attribute: 'uses', value: old, ends: true },
        { attribute: 'uses', value: found.value },
      ]
    },
  },
  {
    pattern: /^I (?:(?:mostly |mainly |daily )?use|run|code in|program in|work with|develop in) (?<rest>.+)$/i,
    read({ rest = '' }, { text, plural }) {
      const cut = rest.split(/ (?:as|for|on|at|to|daily|every|with|because|when|in|instead|since|so|but|and i)\b/i)[0]!
      const things = listOf(cut.replace(/[.,]+$/, '')).map((thing) => thing.replace(/^(?:an?|the) /i, ''))
      if (
        plural ||
        things.length === 0 ||
        things.length > 4 ||
        things.some((thing) => thing.split(' ').length > 3 || !isTechnology(thing))
      )
        return null
      return /^I run\b/i.test(text) && !/linux|windows|macos|ubuntu|arch|debian|fedora|mint|nixos/i.test(cut)
        ? null
        : things.map((value) => ({ attribute: 'uses', value }))
    },
  },
]

const technologies =
  /^(?:linux|windows(?: \d+)?|macos|mac|ubuntu|debian|arch(?: linux)?|fedora|linux mint|nixos|android|ios|iphone(?: \w+)?|ipad|macbook(?: \w+)?|thinkpad|pixel(?: \w+)?|samsung(?: \w+)?|vim|neovim|emacs|vs ?code|visual studio(?: code)?|intellij|pycharm|webstorm|xcode|sublime(?: text)?|zed|cursor|python|java|javascript|typescript|rust|go|golang|c|c\+\+|c#|ruby|php|kotlin|swift|scala|haskell|elixir|clojure|r|julia|perl|lua|zig|dart|flutter|react|react native|vue|angular|svelte|next\.js|node(?:\.js)?|deno|bun|django|flask|fastapi|rails|laravel|spring(?: boot)?|postgres|postgresql|mysql|sqlite|mongodb|redis|docker|podman|kubernetes|k8s|aws|gcp|azure|heroku|vercel|netlify|terraform|ansible|jenkins|github(?: actions)?|gitlab|bitbucket|jira|linear|notion|obsidian|evernote|slack|teams|discord|zoom|figma|sketch|photoshop|excel|google sheets|google docs|word|firefox|chrome|safari|brave|edge|gmail|outlook|protonmail|fish|zsh|bash|tmux|dvorak|colemak|qwerty|npm|yarn|pnpm|webpack|vite|jest|vitest|pytest|graphql|rest|kafka|rabbitmq|elasticsearch|spotify|apple music|youtube music|tidal|netflix|whatsapp|signal|telegram|duolingo|anki|strava|garmin|fitbit|apple watch|kindle|alexa|todoist|trello|asana|tailwind|bootstrap|numpy|pandas|pytorch|tensorflow|jupyter|matlab|latex|overleaf|blender|unity|unreal|godot|ableton|logic pro|premiere|davinci resolve|svn|git|mercurial|nano|helix|i3|sway|gnome|kde|wsl|powershell)$/i

/** The name of something one works with, which one can also move to. */
export const isTechnology = (name: string): boolean => technologies.test(name.trim())

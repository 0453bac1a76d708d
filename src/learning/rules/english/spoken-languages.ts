import type { Reading, Rule } from '../rule-language.ts'
import { isDoing } from './activities.ts'
import { isSubject } from './kinds-of-things.ts'
import { pointing, pointingInside } from './tastes.ts'
import { isTechnology } from './things.ts'
import { isHarmless, titled, upTo } from './values.ts'

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

/** Languages, what is being learnt, what is played. */
export const languageRules = (): readonly Rule[] => [
  {
    pattern:
      /^I (?:(?:can )?speak|am (?:also )?(?:fluent|bilingual|conversational|proficient) in|grew up speaking|am a native speaker of|know) (?<rest>.+)$/i,
    read({ rest = '' }, { text }) {
      const names = languagesIn(rest.replace(/ (?:with|to|at|because|but|so|since|when) .*$/i, ''))
      // `I speak Python better than English`.
      if (/\b(?:better|worse|more|less) (?:\w+ )?than\b/i.test(rest)) return null
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
      const names = languagesIn(
        rest.split(/,? (?:with|on|at|for|in|instead|rather|not|but|before|after|because|so|since|by|and i)\b/i)[0]!,
        'learning',
      )
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
        /^(?:my|myself)\b/.test(found.rest) ||
        pointing.test(found.value) ||
        pointingInside.test(found.value) ||
        /^(?:a lot|a ton|tons|loads|new|so|about|from|more|lots|things|the|of|as|my)\b/i.test(found.value)
      )
        return null
      const learnt = found.value.replace(/^(?:the|some) /i, '')
      if (
        !isSubject(learnt) &&
        !isDoing(learnt) &&
        !isTechnology(learnt) &&
        !/^(?:to )?(?:piano|guitar|violin|cello|drums|flute|trumpet|saxophone|bass|harp|organ|clarinet|ukulele|banjo|accordion|oboe|viola|trombone|bassoon|harmonica|sitar|tabla|keyboard|bagpipes|mandolin|chess|bridge|go|tango|salsa|ballet|karate|judo|morse code|sign language|bsl|asl|calligraphy|origami|pottery|ceramics|touch[- ]typing|magic)$/i.test(
          learnt,
        )
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
      /^I (?:play|have (?:played|been playing)) (?:the |a (?:bit|little|lot) of )?(?<value>piano|guitar|bass guitar|bass|electric guitar|acoustic guitar|drums|violin|viola|cello|flute|clarinet|saxophone|sax|trumpet|trombone|ukulele|harp|accordion|keyboard|banjo|oboe|harmonica|recorder|organ|sitar|tabla|football|soccer|tennis|table tennis|basketball|volleyball|rugby|cricket|hockey|field hockey|ice hockey|golf|squash|badminton|padel|pickleball|chess|go|bridge|poker|baseball|softball|handball|water polo|lacrosse|darts|snooker|pool|video games|board games|minecraft|fortnite|league of legends|valorant|dota|counter-?strike|d&d|dungeons (?:and|&) dragons|magic the gathering)(?: (?:and|&) (?:the )?(?<second>piano|guitar|bass|drums|violin|cello|flute|football|tennis|chess|basketball|cricket|hockey|golf|squash|badminton))?(?![\p{L}])(?<rest>.*)$/iu,
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
]

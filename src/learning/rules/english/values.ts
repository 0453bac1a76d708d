import { monthNames, weekdayNames } from '../../../text/index.ts'
import { blank } from '../mask.ts'

/** What a rule reads from the rest of a clause, and what is left behind it. */
export interface Value {
  readonly value: string
  readonly rest: string
}

const particle =
  'de|da|do|dos|das|del|della|di|van|von|der|den|la|le|los|las|el|al|am|an der|on|upon|of|the|and|sur|saint|st\\.|ter|ten|bin|ibn|y|e'
const capital = String.raw`(?:[dl]')?\p{Lu}[\p{L}\p{N}\p{M}'.&/+-]*`
const capitals = new RegExp(
  String.raw`^(?:the )?(?:${capital}|\d+(?:st|nd|rd|th)?(?= \p{Lu}))(?: (?:(?:${particle}) ){0,2}?(?:${capital}|\d{1,4}(?![\p{L}:.%])))*`,
  'u',
)

/** Words that begin what is no longer the value. */
const breaks =
  'with|because|since|for|but|now|near|so|as|while|after|before|until|till|though|although|where|which|who|these|right|from|due|when|that|if|at|by|in|on|to|during|next|close|alone|together|permanently|currently|too|again|already|already|anymore|please|thanks|thank|btw|just|is|are|was|were|has|have|had|and|or|last|this|every|all|also|ago|yesterday|today|tomorrow|tonight|actually|full|part|about|around|outside|into|and|than|rather|instead|via|under|over|most|half|i|my|we|he|she|they|you|not|hope|any|then|ever|really|lately|recently|myself|it|there|here|full-time|part-time|though'
const breakWord = new RegExp(String.raw`\s(?:${breaks})\b`, 'i')
const punctuation = /[,;:!?()\u2013\u2014]|\s-\s|\.(?=\s|$)/

/** A value does not run into a date. */
const dates = [...monthNames, ...weekdayNames, 'Christmas', 'Easter'].join('|')
const dateTail = new RegExp(String.raw`\s(?:on|in|since|until)?\s*(?:${dates})$`)

const noPlace =
  /^(?:a|an|my|our|his|her|your|their|this|that|these|those|it|fear|hope|denial|peace|harmony|poverty|constant|pain|sin|chaos|misery|luxury|style|comfort|student|shared|one|two|three|five|some|such|what|where|which|same|houses?|apartments?|flats?|dorms?|sweatpants|jeans|pajamas|pyjamas|yoga|leggings|hoodies|shorts|here|there|and|or|with|for|by|off|on|out|at|in|from|is|was|the|not|another|different|bed|work|school|college|university|uni|home|kitchen|office|management|marketing|it|hr|sales|tech|finance|people|everyone|someone|me|him|them|us|you|i|real|rural|urban|central|different|many|several|various|almost|about|around|basically|currently|like|as|something|nothing|interesting|exile|isolation|quarantine|lockdown|limbo|hell|heaven|paradise|eternity|ignorance|bliss|squalor|filth|trackies|scrubs|crocs|slippers|excel|vim|emacs|slack|spreadsheets?|terminal|jira|vscode|figma|notion)$/i
const thePlaces =
  /^the (?:netherlands|uk|u\.k\.|us|u\.s\.|usa|states|united \w+|philippines|uae|bronx|midlands|highlands|hague|bay area|south of \p{Lu}\p{L}+|north of \p{Lu}\p{L}+|west of \p{Lu}\p{L}+|east of \p{Lu}\p{L}+|czech republic|maldives|bahamas|gambia|azores|algarve|cotswolds|peak district|lake district|black forest|isle of \w+|west midlands|(?:\p{Lu}[\p{L}'-]+ ){1,2}(?:valley|district|mountains|islands?|coast|peninsula|republic|territory|alps|borders|emirates|kingdom|province))/iu
/** Other capitals are departments, companies and clouds. */
const shortPlaces =
  /^(?:USA?|UK|UAE|NYC|NY|LA|SF|DC|NZ|NI|KL|HK|PNG|DRC|CT|NJ|TX|CA|FL|WA|MA|PA|GA|NC|SC|VA|OH|MI|MN|WI|AZ|NM|CO|UT|NV|ON|BC|QC|NSW|PA|MD)$/
const fictional =
  /^(?:Narnia|Minecraft|Fortnite|Second Life|Utopia|Oz|Rivendell|Camelot|Asgard|Tatooine|Gilead|Lala ?land|La La Land|The Upside Down|Denial|Limbo|Discord|GitHub|Outlook|Zoom|Teams|Narnia|Hogwarts|Mordor|Westeros|Gotham|Atlantis|Wakanda|Middle-?earth|Neverland|Wonderland|Mars|Pluto|Excel|Slack|Sales|Accounts?|Accounting|Marketing|Finance|Support|Legal|Procurement|Purchasing|Logistics|Engineering|Operations|Security|Reception|Housekeeping|Plan|Table|Step|Level|Room|Chapter|Row|Page|Version|Phase|Stage|Gate|Desk|Floor|Seat|Tier|Reality|Vim|Figma|Jira|Notion|The Matrix|God|Jesus|Christ)\b/i

export const hasArticle = (text: string): boolean => thePlaces.test(text)

/** A place by its name; in texts without capitals up to three words. */
export function readPlace(text: string, lowerCase = false): Value | null {
  const given = text.replace(
    /^(?:(?:downtown|central|beautiful|sunny|rainy|lovely|good old|old|the city of|the town of|the village of) )+/i,
    '',
  )
  const the = thePlaces.exec(given)
  if (the !== null) return ended(the[0], given)
  const proper = capitals.exec(given)
  if (proper !== null) {
    let name = proper[0]
      .replace(/[.,]$/, '')
      .replace(/ (?:and|of|the|on|de|la) *$/, '')
      .replace(dateTail, '')
      .replace(/ \d{4}$/, '')
    if (/ and /.test(name) && !/^(?:Trinidad|Bosnia|Antigua|Saint|Tyne|Brighton|Newfoundland)/.test(name)) return null
    if (fictional.test(name) || noPlace.test(name) || (/^\p{Lu}{2,4}$/u.test(name) && !shortPlaces.test(name)))
      return null
    const region = /^, (?:the )?(\p{Lu}[\p{L}\p{M}.'-]*(?: \p{Lu}[\p{L}\p{M}.'-]*){0,2})(?=$|[,;.!]|\s)/u.exec(
      given.slice(name.length),
    )
    if (region !== null && !/^(?:I|My|We|And|But|So)$/.test(region[1]!)) name += region[0].replace(/\.$/, '')
    return ended(name, given)
  }
  const words = upTo(given, 3)
  if (words === null) return null
  const names = words.value.split(' ')
  if (names.some((word) => noPlace.test(word) || !/^\p{L}[\p{L}\p{M}'.-]*$/u.test(word))) return null
  // Who writes with capitals writes places so, and lives in dread.
  if (!lowerCase) return null
  return { value: titled(words.value), rest: words.rest }
}

function ended(value: string, text: string): Value {
  return { value: value.trim(), rest: text.slice(value.length).trim() }
}

/** The words before punctuation or a word that begins something else; null when there are more than so many, or none. */
export function upTo(text: string, most: number): Value | null {
  const marks = [punctuation.exec(` ${text}`)?.index, breakWord.exec(` ${text}`)?.index].filter(
    (at) => at !== undefined,
  )
  const until = Math.max(0, Math.min(text.length + 1, ...marks) - 1)
  const value = text.slice(0, until).trim()
  if (value === '' || value.split(' ').length > most || value.includes(blank)) return null
  return { value, rest: text.slice(until).trim() }
}

/** `ann lee` as a name is written. */
export function titled(name: string): string {
  return /\p{Lu}/u.test(name)
    ? name
    : name.replace(/(^|[\s'-])(\p{Ll})/gu, (_, before, letter) => before + letter.toUpperCase())
}

const noName =
  /^(?:test|foo|bar|team|type|I|a|an|the|my|your|our|his|her|their|not|so|very|too|just|also|here|there|back|fine|good|ok|okay|sorry|sure|happy|sad|tired|hungry|new|old|male|female|single|married|from|in|on|at|with|and|or|but|is|was|it|this|that|what|who|same|short|long|hard|easy|never|always|really|pretty|kind|going|trying|looking|working|living|moving|currently|called|named|spelled|pronounced|common|rare|unusual|weird|boring|private|secret|nobody|none|people|everyone|someone|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|mud|batman|groot|spartacus|spiderman|superman|ironman|legion|god|santa|names|whatever|anything|anytime|dad|mum|mom|mr|mrs|ms|dr|which|whose|has|had|have|does|did|will|would|can|could|when|where|how|why|no|yes|if|me|mine|us|still|now|by|to|of|for|as)$/i
const noNameEnding = /(?:ish|ese|ing|ally|ully|ously)$/i

/** The name of a person or an animal: up to four words with capitals, or one word of a text without any. */
export function readName(text: string, lowerCase = false): Value | null {
  const proper =
    /^(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?\p{Lu}[\p{L}\p{M}'\u2019-]*(?:\.(?= \p{Lu}))?(?: (?:(?:van|von|de|da|del|der|den|la|le|bin|al|el|di|O') ){0,3}\p{Lu}[\p{L}\p{M}'\u2019-]*\.?){0,3}/u.exec(
      text,
    )
  const found =
    proper?.[0].replace(/\.$/, '').replace(/'s$/, '') ??
    (lowerCase ? /^[\p{Ll}\p{M}'-]{2,20}(?= |[,.!]|$)/u.exec(text)?.[0] : undefined)
  const bare = found?.replace(/^(?:Dr|Mr|Mrs|Ms|Prof)\.? (?=\p{Lu})/u, '')
  if (found === undefined || bare!.split(' ').some((word) => noName.test(word))) return null
  if (proper === null && noNameEnding.test(found)) return null
  const rest = text.slice(found.length).trim()
  if (/^(?:Street|Road|'s)\b/.test(rest)) return null
  return { value: titled(found), rest }
}

/** The values of a list: `jazz, hiking and chess`. */
export function listOf(text: string): string[] {
  return text
    .split(/\s*,\s*(?:and |or )?|\s+(?:and|&)\s+|\s*\/\s*/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Nothing, or something that leaves the sense of what was said before it as it is. */
export const isHarmless = (rest: string): boolean =>
  rest === '' ||
  /^[,;:(!\u2013\u2014-]/.test(rest) ||
  /^\.?\s*(?:with|because|since|for (?!now|the (?:summer|week|month|time|moment|winter|semester)|a (?:while|week|month|bit|few|couple))|but|now|near|so|as (?!a (?:child|kid|student|teen|baby|boy|girl)|if)|though|although|where|which|these days|right|from|due|next to|close to|alone|together|permanently|currently|too|again|already|please|thanks|thank|btw|by the|and|to (?:be|study|work|start|live)|at the moment|at present|just|also|actually|last|this (?:week|month|year|summer|spring|autumn|fall|winter)|in (?:early |late |the )?(?:spring|summer|autumn|fall|winter)|in (?:\d{4}|january|february|march|april|may|june|july|august|september|october|november|december|the (?:uk|us|usa|u\.s|north|south|east|west|center|centre|heart)|my|a|an)\b|two|three|four|five|six|seven|eight|nine|ten|a (?:few|couple|week|month|year)|\d+ |about|around|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|the|\d|january|february|march|april|may|june|july|august|september|october|november|december)|yesterday|today|recently|full|part|after|i |we |my |really|full-time|part-time|instead|myself|anymore)/i.test(
    rest,
  )

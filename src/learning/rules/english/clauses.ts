import type { SplitClause } from '../rule-language.ts'

const shortForms: readonly (readonly [RegExp, string])[] = [
  [/\b(i|you|we|they|who|what|where|that|there|he|she|it)'(?:re|m)\b/gi, '$1 are'],
  [/\b(?:i are|im|i m)\b/gi, 'I am'],
  [/\b(i|you|we|they)'?ve\b/gi, '$1 have'],
  [/\b(i|you|he|she|it|we|they)'ll\b/gi, '$1 will'],
  [/\b(i|you|he|she|it|we|they)'d\b/gi, '$1 would'],
  [/\b(he|she|it|that|there|what|where|here|who|name|one|everything)'s\b/gi, '$1 is'],
  [/\b(do|does|did|is|are|was|were|have|has|had|would|could|should|must|might|need)n'?t\b/gi, '$1 not'],
  [/\bcan(?:'t|t|not)\b/gi, 'can not'],
  [/\bwon'?t\b/gi, 'will not'],
  [/\bain'?t\b/gi, 'am not'],
  [/\blet's\b/gi, 'let us'],
  [/\b(?:cuz|coz|cos|bc|b\/c)\b|(?<!\w)'(?:cause|cuz|cos)\b/gi, 'because'],
  [/\bany ?more\b/gi, 'anymore'],
  [
    /\b([Mm]y (?:[a-z-]+ ){0,2}?[a-z]+)'s (?=(?:called|named|allergic|an? [a-z-]+$|from \p{Lu})(?![\p{L}]))/gu,
    '$1 is ',
  ],
  [/ (?:&|n|'n'|\+) /g, ' and '],
  [/\bw\/ ?/gi, 'with '],
  [/ @ /g, ' at '],
  [/\b(my|his|her|our) (?:good )?names (?=\p{L})/giu, '$1 name is '],
  [/\bam having (?=(?:a|an|one|two|three|four|\d) )/gi, 'have '],
  [/\bam hailing\b/gi, 'am'],
  [/\b(?:plz|pls|kindly)\b/gi, 'please'],
  [
    /\b([Mm]y (?:[a-z-]+ ){0,2}[a-z]+), (\p{Lu}[\p{L}'-]+), (?=(?:is|has|was|lives|works|loves|likes|hates|and i)\b)/gu,
    '$1 $2 ',
  ],
  [/\b(?:fav|fave|favs|favourite|favourites|favorites)\b/gi, 'favorite'],
  [/\bb-?day\b/gi, 'birthday'],
  [/\b(?:luv|lurve|looove|loove|looooove)\b/gi, 'love'],
  [/\brn\b/gi, 'right now'],
  [/\b(?:u)\b/g, 'you'],
  [/, (?:what|like|you know|um|uh|erm|er|i think it was),(?= )/gi, ','],
  [
    /\b(my (?:[a-z-]+ ){0,2}(?:address|e-?mail|number|name|phone|birthday|job|title|employer|surname))(?: has| was| have| just| recently)* changed[,;:.]? (?:and )?(?:(?:it is|it's|it was|to)) (?:now )?/gi,
    '$1 is ',
  ],
  [/\b(my (?:birthday|number|address|email|job|surname|nickname|home ?town|timezone))'s (?=\S)/gi, '$1 is '],
  [
    /^since (?:my|our) (?:divorce|wedding|retirement|graduation|separation|diagnosis|accident|operation|surgery),? (?=i\b)/gi,
    '',
  ],
  [/\b(?:gonna)\b/gi, 'going to'],
  [/\bwanna\b/gi, 'want to'],
  [
    /\b(?:husbands|wifes|sisters|brothers|mums|moms|dads|dogs|cats|daughters|sons|girlfriends|boyfriends) name\b/gi,
    '$&',
  ],
]

/** Said beside a statement: `let me know if …` makes nothing conditional. */
const harmless =
  /\b(?:in case you (?:are|were) (?:wondering|curious|interested)|if you (?:must|have to|want to) know|if you (?:are|were) (?:wondering|curious|interested)|if (?:that|it|this) (?:helps|matters|is relevant|is useful)|if (?:needed|necessary|required)|if you (?:need|want|have|wish|would like) to (?:send|reach|contact|call|write|get in touch|get hold|email|ring|text|post|ship|deliver|verify|check|look)\b[^,.!?]*|if i (?:have not|did not) mention(?:ed)? (?:it|that)(?: already| before| yet)?|(?:let me know|tell me|wonder(?:ing)?|not sure|check|see|ask(?:ing)?|know) if (?:you|there|it|that)\b[^.!?]*)/gi

/** `my husband Tom and I moved` is said of us. */
const usTwo =
  /(?<=^|[,;.!:] |\b(?:and|so|but|because|that|since|as) )(?:(?:me and )(?:[Mm]y [a-z-]+|\p{Lu}[\p{L}'-]+)|(?:[Mm]y [a-z-]+(?:,? \p{Lu}[\p{L}'-]+,?)?|\p{Lu}[\p{L}'-]+|the (?:wife|missus|husband|hubby|kids|boys|girls)) and (?:I|me|i)|both of us|all of us) (?=(?:have|are|live|lived|moved|got|just|recently|finally|broke|split|separated|work|love|like|will|were|started|adopted|bought|am|both|now|parted|do)\b)/gu

/** Contractions and short forms written out, brackets, emoji and marks of Markdown taken away. */
export function expand(sentence: string): string {
  let text = sentence
    .replace(/[\u201c\u201d\u201e"]+|(?<![\p{L}\p{N}])[*_]+|[*_]+(?![\p{L}\p{N}])/gu, ' ')
    .replace(/\s*\([^()]{0,200}\)/g, '')
    .replace(usTwo, 'we ')
    .replace(harmless, ' ')
    .replace(/(?:^|\s)[:=]-?[)(DPp3](?=\s|[.!,]|$)/g, '')
  for (const [short, long] of shortForms) text = text.replace(short, long)
  return text
    .replace(/\s+/g, ' ')
    .replace(/\s+([,;.!?])/g, '$1')
    .trim()
}

const subject = String.raw`(?:i|myself|name is|my|mine|we|our|he|she|it|they|you|your|his|her|their|its|there|this|that|these|those|please|let|anyone|someone|everyone|everybody|nobody|people|home is|both of us|the|what|where|which|who|whom|whose|how|can|could|do|does|did|is|are|was|will|would|should|any|call|always|never)\b`

const elided = String.raw`(?:(?:also|now|currently|still|really|just|always|usually|sometimes|often|recently|mostly|absolutely|even|then) )*(?:live (?:in|at|near|with|on|alone)|work (?:as|at|for|in|with|from|part|full|remotely)|study|love|like|hate|enjoy|prefer|speak|have|own|drive|play|am|was|use|collect|teach|got|started|quit|left|moved|joined|adore|dislike|do not|can not|no longer|want|need|used to|go|run|eat|drink|ride|grew up|come from|volunteer)\b`

const conjunction = `(?:and|but|so|or|plus|then|because|although|though|while|whereas|since|as(?! of)|when|whenever|where|which|who|whose|until|till|after|before|except|yet|cause|also)`

// Some join clauses only where a subject follows.
const joining = String.raw`(?:and|And|but|But|Because|or|plus|then|because|although|though|whereas|when|whenever|where|which|who|whose|except|yet|cause|(?:so|since|as|while|until|till|after|before|also)(?=\s+(?:i|we|my|our|you|he|she|it|they|please)\b))`

// A clause may begin at a comma, a dash, a semicolon, a conjunction, or before a bare `i` in a text without any marks.
const cut = new RegExp(
  String.raw`(\s*[,;:]\s+|\s+[-\u2013\u2014]+\s+|\s*\u2014\s*|\s+(?=${joining}\s)|\s+(?=i (?:am|live|work|love|like|have|hate|study|moved|speak|do not|can not)\b)|\s+(?=(?:they|it|he|she) (?:are|is) ))`,
)
const leadingConjunctions = new RegExp(String.raw`^(?:${conjunction}[,\s]+)+`, 'i')
const startsStatement = new RegExp(`^${subject}`, 'i')
const startsElided = new RegExp(`^${elided}`, 'i')
const onlyConjunction = new RegExp(`^(?:${conjunction}[,\\s]*)+$`, 'i')
const relative = /\b(?:when|whenever|where|which|who|whose)\b/i
const introducesNothing = /\b(?:when|whenever|where|which|who|whose|until|till|or|before|after|except|yet)\b/i
const relativeBefore =
  /\b(?:that|where|when|who|which|whom|whose|what|how|why|think|thinks|said|says|say|thought|believe|believes|know|knows|told|everyone|everything|anything|something|people|place|thing|one|person|reason|way|time|city|town|company|before|after|until|till|than|like|as)$/i

const afterDeterminer = /\b(?:the|my|our|your|this|that|these|those)(?: [\w'-]+){1,2}$/i

/** What is wanted, planned or past is so for all that is joined to it: `I want to move to Rome and work as a cook`. */
const unreal =
  /\b(?:will|would|could|should|can|might|may|must|shall|let|going to|want|wants|hope|hoping|wish|plan|planning|try|trying|need|have to|had to|used to|about to|able to|ready to|decided to|like to|love to|hate to|prefer to|supposed to|was|were|did|to (?:be|live|work|move|go|become|get|have|study|learn|play|start|find|see|visit|make|do|take|help|build|write|create|teach|meet|stop|eat|drink|run|drive|speak|own|use))\b/i

function isOpenToMore(before: string): boolean {
  return (
    /^(?:I |[Mm]yself |\p{Lu}[\p{L}'-]+ here\b)/u.test(before) && (!unreal.test(before) || /^I was born\b/.test(before))
  )
}

interface Piece {
  conjunction: string
  text: string
}

function pieces(sentence: string): Piece[] {
  const found: Piece[] = []
  const parts = sentence.split(cut)
  let carried = ''
  for (let i = 0; i < parts.length; i += 2) {
    const separator = i === 0 ? '' : parts[i - 1]!
    const whole = carried + parts[i]!
    carried = ''
    if (onlyConjunction.test(whole)) {
      carried = `${whole} `
      continue
    }
    const conjunctions = leadingConjunctions.exec(whole)?.[0] ?? ''
    const text = whole.slice(conjunctions.length)
    const last = found.at(-1)
    if (last === undefined || isNewClause(last.text, separator, conjunctions, text)) {
      found.push({ conjunction: conjunctions.trim().toLowerCase(), text })
    } else last.text += separator + (separator.trim() === '' || /\s$/.test(separator) ? '' : ' ') + whole
  }
  return found
}

const elidedBe =
  /^(?:(?:originally|currently|now|presently) )?(?:(?:born (?:and (?:raised|bred) )?in|born(?: on)?(?: the)?(?= \d)|(?:raised|brought up) in|from|living in|based in|working (?:as|at|for)|studying|majoring in|doing an? (?:phd|doctorate|master's|masters|bachelor's|degree)(?: degree)? in) \S|\d{1,3} years? (?:old|young)\b|no longer (?:just )?an? \S)/i

function isNewClause(before: string, separator: string, conjunctions: string, text: string): boolean {
  if (separator.includes(';') || relative.test(conjunctions)) return true
  if (
    separator.includes(',') &&
    /^(?:originally|currently|now|presently|born|living|based|working|studying|majoring|doing|\d{1,3} years?|no longer)\b/i.test(
      text,
    ) &&
    elidedBe.test(text)
  )
    return true
  if (/^(?:raised|brought up) in \p{Lu}/u.test(text) && /\bborn\b/.test(before)) return true
  if (startsStatement.test(stripLeadIns(text))) {
    return separator.trim() !== '' || conjunctions !== '' || !relativeBefore.test(before)
  }
  // `, like roses`, `the hope and love theme` name no new thing that is done.
  if (/^like\b/i.test(text) && conjunctions === '') return false
  if (/^(?:love|like|hate|use|play|need|want|run|study|drink|drive)\b/i.test(text) && afterDeterminer.test(before))
    return false
  return startsElided.test(text) && (/\b(?:and|but|then|also)\b/i.test(conjunctions) || separator.includes(','))
}

const leadIn = new RegExp(
  String.raw`^(?:${[
    String.raw`(?:hi+|he+y+|hello+|hiya|howdy|yo|greetings|omg|good (?:morning|afternoon|evening)|namaste)(?: (?:there|everyone|everybody|all|again|folks|team|guys|mate|buddy|love|dear|darling|claude|assistant))?(?=[\s,.!:-]|$)`,
    '(?:now|today|then)(?=,? (?:i|we|my)\\b)',
    'so|well|ok|okay|oh|ah|yes|yeah|yep|yup|no|nope|also|and|but|plus|because|since|although|though|as(?! of)|so|alright|anyway|anyways|right|look|listen|um|uh|hmm|dude|bro|man|mate|yaar|lah|honestly|frankly|personally|basically|obviously|clearly|sadly|unfortunately|fortunately|luckily|thankfully|actually|finally|first|firstly|second|secondly|third|lastly|additionally|furthermore|moreover|besides|currently|presently|nowadays|today|overall|generally|usually|recently|lately|btw|fyi|tbh|ngl|imo|ps|sorry|thanks|thank you|thx|cheers',
    'by the way|for your information|just so you know|so you know|just to let you know|just letting you know|to be honest|in fact|for context|for reference|for the record|for what it is worth|(?:a )?(?:quick |small |little |big |just an? )?(?:bit of )?(?:intro|introduction|update|note|heads[ -]up|fact|fun fact|reminder|correction|news|info|background|context|fyi)|(?:please |do |also )*(?:remember|note|keep in mind|bear in mind|be aware|know)(?: for (?:later|next time|the future))?(?: that)?|you should know(?: that)?|as you (?:know|may know|might know)|(?:like|as) i (?:said|mentioned|told you)(?: before| earlier| already)?|i (?:already )?(?:told|mentioned to) you (?:that )?|i mean(?:t)? to say(?: that)?|i (?:just )?want(?:ed)? you to know(?: that)?|i mean(?=,? (?:i|my)\\b)|i (?:should|want to|wanted to|would like to|forgot to|have to|must) (?:also )?(?:mention|add|say|tell you|let you know)(?: that)?|(?:good|great|big|bad|sad|exciting) news|guess what|turns out(?: that)?|first of all|first off|on top of that|other than that|apart from that|right now|at the moment|at present|as of (?:now|today|this week|last week|this month|last month|(?:last )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday))|these days|for now|a bit about me|a little about me|about me|let me introduce myself|nice to meet you|one more thing|another thing|one thing|in general|most of the time|as for me|me|given that|seeing as|considering that|so you know',
  ].join('|')})(?![\p{L}\p{N}'-])[\s,.!:;\u2013\u2014-]*`,
  'iu',
)

/** Without greetings and fillers in front. */
export function stripLeadIns(text: string): string {
  let rest = text
  for (let i = 0; i < 6; i++) {
    const next = rest.replace(leadIn, '')
    if (next === rest || next === '') return next
    rest = next
  }
  return rest
}

const adverbs =
  'also|really|currently|now|still|just|actually|always|truly|absolutely|definitely|genuinely|personally|recently|finally|already|both|originally|presently|mostly|mainly|primarily|generally|honestly|certainly|totally|simply|officially|happily|proudly|obviously|basically|literally|do(?= (?:not|like|love|enjoy|have|live|work|speak|prefer|hate|play|own|use|eat|drink)\\b)|quite|rather|very much|particularly|especially|even|kinda|normally|typically|by the way|btw'
const afterSubject = new RegExp(
  String.raw`^((?:i|my [\p{L} -]{2,24}?)(?: am| have| can)?) (?:(?:${adverbs}),? )+(?!not\b)`,
  'iu',
)
const afterBe = new RegExp(`^(i (?:am|have)) (?:(?:${adverbs}) )+`, 'i')

function ofSubject(text: string): SplitClause {
  const plural = /^(?:we|our|both of us)\b/i.test(text)
  let own = text
    .replace(/^we are\b/i, 'I am')
    .replace(/^we were\b/i, 'I was')
    .replace(/^(?:we|both of us)\b/i, 'I')
    .replace(/^our\b/i, 'my')
  for (let i = 0; i < 2; i++) own = own.replace(afterSubject, '$1 ').replace(afterBe, '$1 ')
  return { text: own.replace(/^i\b/, 'I'), plural }
}

/** `I am a teacher living in Cornwall` says two things. */
const participle =
  /^(?<first>(?:I am|myself) (?:an? )?(?!(?:one|friends?|neighbou?rs?)\b)(?:(?!(?:of|who|with|for|to|and|about|from|in|not)\b)[\p{L}\d./&'-]+,? ){1,5}?)(?:currently |now |presently )?(?<second>(?:living|working|based|residing|studying) (?:in|at|as|for) .+)$/iu

function withParticiple(clause: SplitClause): SplitClause[] {
  const parts = participle.exec(clause.text)?.groups
  if (parts === undefined) return [clause]
  const first = parts.first!.trim().replace(/,$/, '')
  return [
    { ...clause, text: first },
    { ...clause, text: `I am ${parts.second!}` },
  ]
}

function withoutEmoji(text: string): string {
  return text
    .replace(/[\p{Extended_Pictographic}\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\ufe0f\u200d]+/gu, ' ')
    .replace(/\s+([,;.!?])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

const questionStart =
  /^(?:(?:so|and|but|or|well|hey|hi|ok|okay|also|then|please),? )*(?:what|where|who|whom|whose|when|why|how|which|do(?! not (?!i\b|you\b|we\b|they\b))|does|did|am|are|is|was|were|have|has|can|could|will|would|should|shall|may|might|any|got any|anyone|remember|is not|are not|do not you|does not)\b/i
const realQuestion =
  /^(?:what|where|which|how|who|when|why|can|could|would|will|should|do you|do i (?:need|have)|am i (?:allowed|supposed)|does|any|anyone|are there|is there|is it|is (?!that (?:right|correct|true|so|ok)|it (?:right|correct|true))|got any|have you)\b/i
const report =
  /\b(?:says|said|say|told|tells|claims|claimed|thinks|thought|believes|believed|asked|asks|insists|insisted|heard|wrote|writes|texted|tweeted|posted|replied|answered|goes|was like|is like|were like|are like|be like|shouted|joked|jokes|reckons|suggested|suggests|calls me|called me|assumes|assumed|accused)\b/i
const reportBehind =
  /^(?:(?:he|she|they|it|the [\p{L}-]+|\p{Lu}[\p{L}'-]+|my [\p{L}-]+) (?:says|said|claims|claimed|wrote|writes|insists|insisted|lied|joked|replied|answered|shouted)|(?:says|said|wrote|replied|shouted) (?:he|she|they|the|my|\p{Lu}[\p{L}'-]+))\b/iu
const ownReport =
  /^(?:everyone|everybody|people|friends|my friends|most people|all my friends) calls? me \S|^i (?:already |just )?(?:said|told (?:you|him|her|them|my [a-z]+)|mentioned)\b/i

/** The clauses of an expanded sentence that the speaker states; none of a question. */
export function clauses(sentence: string): SplitClause[] {
  const asks = /\?\W*$/.test(sentence)
  const all = pieces(withoutEmoji(sentence).replace(/[.!?\u2026\s]+$/, ''))
  const found: SplitClause[] = []
  let first = true
  for (const { conjunction: before, text: whole } of all) {
    const text = stripLeadIns(whole)
    if (text === '') continue
    // `I am married and have one son` asks nothing.
    const stillTold =
      !asks &&
      found.length > 0 &&
      /^(?:have|am|was)\b/i.test(text) &&
      (/^(?:and|but)\b/.test(before) || /^(?:have|was) (?:done|been|born|always|ever since|for)\b/i.test(text))
    if (questionStart.test(text) && !stillTold) {
      const wantsIdeas = /^any (?:ideas?|suggestions?|tips?|recommendations?|thoughts?|advice|help)\b/i.test(text)
      if (!wantsIdeas && (!realQuestion.test(text) || text.split(' ').length < 3)) return []
      // What was stated before a real question stays.
      return found
    }
    // `I have two cats, which vacuum would you get?`
    if (
      asks &&
      /^(?:which|where|who|when)\b/.test(before) &&
      /\b(?:would|should|do|can|could|did|is|are) (?:you|i|we|it|that)\b|^[a-z]+s (?:are|is|would|should|do|can) /i.test(
        text,
      )
    )
      return found
    const isReport = report.test(text) && !ownReport.test(text)
    // `I live in Rome, she said`.
    if (isReport && (found.length === 0 || reportBehind.test(text))) return []
    if (isReport) return found
    // `they move me and always remind me`: no order to the assistant.
    const goesOn = !first && /^(?:always|never)\b/i.test(text) && /\b(?:and|but|or)\b/i.test(before)
    const stated = !goesOn && !introducesNothing.test(before) && !/\bwhile\b/i.test(before)
    const mine = isOpenToMore(found.at(-1)?.text ?? '')
    const filled =
      first || startsStatement.test(text)
        ? text
        : startsElided.test(text)
          ? `I ${text}`
          : elidedBe.test(text)
            ? `I ${/^(?:born|raised|brought)\b/i.test(text) ? 'was' : 'am'} ${text}`
            : text
    if (stated && (filled === text || mine)) found.push(...withParticiple(ofSubject(filled)))
    first = false
  }
  return asks ? [] : found
}

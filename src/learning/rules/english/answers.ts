/** What an assistant asks, and the sentence that a short answer to it stands for. */
const asked: readonly (readonly [question: RegExp, says: (answer: string) => string])[] = [
  [
    /^(?:what is|may i (?:have|ask|know)|can i (?:have|ask|get)|could you (?:tell|give) me|please tell me|tell me) your (?:full |first |last )*name(?: please)?$/,
    (name) => `my name is ${name}`,
  ],
  [/^(?:who am i (?:speaking|talking) (?:to|with)|what are you called)$/, (name) => `my name is ${name}`],
  [
    /^(?:what (?:should|shall|can|may) i call you|how (?:should|shall|can|may) i (?:address|call) you)$/,
    (name) => `call me ${name}`,
  ],
  [
    /^(?:where do you (?:live|reside)|where are you (?:living|based|located)|(?:which|what) (?:city|town|place|country)(?: or (?:city|town|country))? (?:do you live in|are you (?:based|living|located) in|do you call home))(?: now| currently| these days| at the moment)?$/,
    (place) => `I live in ${place}`,
  ],
  [
    /^(?:where are you (?:originally )?from|where do you come from|(?:which|what) (?:city|town|country) are you from)(?: originally)?$/,
    (place) => `I am from ${place}`,
  ],
  [/^where were you born$/, (place) => `I was born in ${place}`],
  [
    /^(?:what do you do(?: for (?:a living|work))?|what is your (?:job|profession|occupation|job title)|what (?:kind|sort) of work do you do|what do you work as)$/,
    (job) => `I work as ${job}`,
  ],
  [
    /^(?:where do you work|who do you work for|(?:which|what) company do you work (?:for|at)|who is your employer)(?: now| currently)?$/,
    (employer) => `I work at ${employer}`,
  ],
  [
    /^(?:how old are you|what is your age|may i ask your age|may i ask how old you are)(?: now)?$/,
    (age) => `I am ${age.replace(/ (?:years? old|yrs?)$/, '')} years old`,
  ],
  [
    /^(?:when is your birthday|what is your (?:birthday|date of birth|birth ?date)|when were you born)$/,
    (day) => `my birthday is ${day}`,
  ],
  [
    /^(?:(?:do you have|have you got) (?:any )?(?:known )?(?:food )?allergies|are you allergic to (?:anything|something|any (?:foods?|medications?|medicines?|drugs))|what are you allergic to|any (?:food )?allergies)$/,
    (food) => `I am allergic to ${food}`,
  ],
  [/^(?:what|which) languages? do you speak$/, (language) => `I speak ${language}`],
  [/^what is your favorite (?!(?:thing|part|one)\b)[a-z]+(?: [a-z]+)?$/, (what) => what],
  [/^what is your (?:[a-z]+'s name)$/, (name) => name],
  [/^what is your e-?mail(?: address)?$/, (address) => `my email is ${address}`],
  [/^what is your (?:phone |mobile )?number$/, (phone) => `my number is ${phone}`],
  [/^what (?:is your time ?zone|time ?zone are you in)$/, (zone) => `my time zone is ${zone}`],
]

const longestQuestion = 300
const longestAnswer = 60

/** Played, quoted, or about a text: whose name it is that is asked for is not certain. */
const notAskedInEarnest =
  /["\u201c\u201d*]|\b(?:game|play|story|character|hero|heroine|novel|scene|quest|adventurer|traveller|traveler|stranger|interview|practi[cs]e|exercise|example|pretend|imagine|translate|poem|letter|quiz|riddle|guard|wizard)\b/i

const noAnswer =
  /^(?:no|nope|nah|not|none|nothing|never|why|who|what|where|when|which|how|maybe|perhaps|depends|it depends|guess|secret|private|same|both|somewhere|nowhere|anywhere|everywhere|here|there|nobody|no one|someone|anything|everything|whatever|skip|pass|unknown|n\/a|that|this|you|your|i do not|i would|i will|i can|i am not|do not|did not|mind|classified|later|idk|dunno|good|fine|ok|okay|thanks|thank|hi|hello|hey|sorry|wait|if|let us|the|my|all|lots|many|some|several|far|old|enough|too|very|just|see|read|check|ask|stop|please|with|without|on|near|under|over|above|below|behind|beside|outside|inside|upstairs|downstairs|alone|abroad|home|from|by|for|between|error|hard)\b/i

const ownSentence = /^(?:i|my|we|our|they|he|she|it|people|everyone|everybody|call)\b/i

/**
 * The sentence that a short answer stands for, where the assistant has asked for one thing that people know of themselves and nothing
 * else; null for anything less certain, and for an answer that is a sentence already.
 */
export function answers(question: string, answer: string): string | null {
  if (question.length > longestQuestion || answer.length > longestAnswer) return null
  if (/[?\n:"\u201c]/.test(answer) || notAskedInEarnest.test(question)) return null
  if ((question.match(/\?/g)?.length ?? 0) !== 1 || !/\?\s*$/.test(question)) return null
  const says = asked.find(([pattern]) => pattern.test(bareQuestion(question)))?.[1]
  if (says === undefined) return null
  const said = answer
    .trim()
    .replace(
      /^(?:(?:yes|yeah|yep|yup|sure|of course|certainly|oh|well|um|uh|hm+|ok|okay|so)[\s,.!\u2013\u2014-]+)+/i,
      '',
    )
    .replace(/^(?:it is|it's|that is|that's|in|at|as|to|an?) /i, '')
    .replace(/[\s.!]+$/, '')
  if (
    said === '' ||
    noAnswer.test(said) ||
    ownSentence.test(said) ||
    /[.!;]\s/.test(said.replace(/\b(?:Dr|Mr|Mrs|Ms|St)\./g, ''))
  )
    return null
  const about = /^what is your (?<what>favorite .+|[a-z]+'s name)$/.exec(bareQuestion(question))?.groups?.what
  return about === undefined ? says(said) : `my ${about} is ${said}`
}

/** The question itself, in lower case: what is said before it, and thanks around it, left out. */
function bareQuestion(text: string): string {
  const last = text
    .trim()
    .replace(/\?\s*$/, '')
    .split(/[.!\n\u2013\u2014]\s*/)
    .at(-1)!
  return last
    .toLowerCase()
    .replace(/\u2019/g, "'")
    .replace(/\b(what|who|where|when|how)'s\b/g, '$1 is')
    .replace(/\bfavourite\b/g, 'favorite')
    .replace(/,/g, '')
    .trim()
    .replace(
      /^(?:(?:and|so|ok|okay|great|thanks|thank you|nice|cool|lovely|first|by the way|hi|hello|hey|there|well|then|also|please) )+/,
      '',
    )
    .replace(/^(?:may|can|could) (?:i|you) (?:ask|tell me|know|say) (?=(?:what|where|when|how|who|which)\b)/, '')
    .replace(
      /^(what|where|how old) (your (?:full |first |last )*(?:name|job|age)|you live|you are) (is|are)$/,
      '$1 $3 $2',
    )
    .replace(/ (?:please|if i may ask|by the way|then|if i may)$/, '')
}

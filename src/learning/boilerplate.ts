import { fold, sentences } from '../text/index.ts'
import type { Message } from './message.ts'

// What people and assistants say out of politeness or habit. Each is a whole sentence, folded, with its marks taken out: whatever says
// anything beside it is no boilerplate. A language is a list.

const thanksFor =
  '(?: for (?:all )?(?:of )?(?:the|your|this|that|everything)(?: (?:help|time|support|patience|answer|assistance|info|information|explanation|advice|quick|kind|great|response|reply|update|clarification|clarifying|confirming))*)?'
const before = '(?:(?:ok|okay|oh|ah|great|perfect|awesome|cool|super|alright|right|yes|yeah|no|sure|hi|hey|wow|and) )?'

/** Any row of these says nothing. */
const fillers = `ok okay oh ah well alright right great perfect awesome cool super nice good wonderful excellent brilliant lovely amazing
fantastic yeah sure then again very much so it is that thats its sounds looks works for me all got gotcha noted understood indeed absolutely
definitely certainly of course exactly agreed fine haha hahaha lol hmm hm wow yay thanks thank you thx ty cheers appreciated please now
there everyone team man mate buddy job idea question one`
const row = (words: string) => new RegExp(`^(?:(?:${words.split(/\s+/).join('|')})(?: |$))+$`)

const english: readonly RegExp[] = [
  /^(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|welcome(?: back)?|dear)(?! (?:i|im|ive|id|my|we|were|its|this|is|name|call)\b)(?: \p{L}+){0,2}$/u,
  /^(?:how are you(?: doing)?(?: today)?|how is it going|hows it going|whats up|(?:nice|pleased|glad|good|great) to (?:meet|see|hear from) you(?: (?:too|again))?(?: \p{L}+)?|long time no see)$/u,
  new RegExp(
    `^${before}(?:thanks|thank you|many thanks|thx|i (?:really )?appreciate (?:it|that|your help))(?: (?:so|very) much| a lot| a million| again)*${thanksFor}(?: \\p{L}+)?$`,
    'u',
  ),
  row(fillers),
  /^(?:no (?:problem|worries)(?: at all)?|will do|on it|makes sense|that makes sense)$/,
  /^(?:bye|bye bye|goodbye|good night|see you|see ya|talk to you|take care|cheers)(?: (?:later|soon|tomorrow|then|again|around))*$/,
  /^(?:you are|youre) (?:very |most |so )?welcome(?: \p{L}+)?$/u,
  /^(?:my pleasure|anytime|dont mention it|not at all|glad (?:to|i could) help|happy to help)$/,
  /^(?:(?:i am|im|my) )?(?:(?:so|very|really|deeply|sincere) )*(?:sorry|apologies|i apologi[sz]e)(?: (?:about|for) (?:the|that|this|any)(?: \p{L}+){0,3})?$/u,
  /^(?:i )?hope (?:this|that|it) helps$/,
  /^(?:that is|thats) (?:a )?(?:great|good|excellent|interesting|fair|wonderful) (?:question|point|idea)$/,
  /^(?:have a )(?:great|good|nice|wonderful|lovely) (?:day|evening|weekend|night|one|time)(?: \p{L}+)?$/u,
]

const german: readonly RegExp[] = [
  /^(?:hallo|hi|hey|guten (?:morgen|tag|abend)|gute nacht|moin|servus|tschuss|auf wiedersehen)(?: \p{L}+)?$/u,
  /^(?:vielen |herzlichen )?(?:dank|danke)(?: (?:schon|sehr|dir|ihnen|euch|nochmal|fur (?:die|deine|ihre) (?:hilfe|antwort)))*$/,
  /^(?:ok|okay|gut|alles klar|super|prima|passt|genau|bitte(?: schon| sehr)?|gern(?:e)?(?: geschehen)?)$/,
  /^(?:entschuldigung|es tut mir leid|tut mir leid)$/,
]

/** What assistants alone say of themselves and offer: of a person, `As an AI engineer …` says something. */
const ofAssistants: readonly RegExp[] = [
  /^as an? (?:ai|artificial intelligence|language model|large language model|virtual assistant)\b.*$/,
  /^(?:i am|im) (?:just |only )?an? (?:ai|language model|large language model|virtual assistant|chatbot)\b.*$/,
  /^(?:how|what) (?:can|may|else can) i (?:help|assist|do)(?: you)?(?: (?:with|for) you)?(?: today| further)?$/,
  /^(?:is there|do you have|did you have) (?:anything|something) else(?: (?:i can|you|that)\b.*)?$/,
  /^(?:please )?let me know(?: (?:if|whether) (?:you|there|that|this|anything)\b.*)?$/,
  /^(?:please )?(?:feel free|dont hesitate) to (?:ask|reach|let|contact|message)\b.*$/,
  /^(?:(?:sure|certainly|of course|absolutely|great|okay|ok) )?(?:i would|id|i will|ill|i am|im) (?:be )?(?:happy|glad|delighted) to (?:help|assist)(?: you)?(?: with (?:that|this|it))?$/,
  /^(?:i am|im) (?:unable|not able) to (?:help|assist) (?:you )?with that(?: request)?$/,
  /^als (?:ki|sprachmodell|kunstliche intelligenz)\b.*$/,
]

const ofAnyone: readonly RegExp[] = [...english, ...german]

/** A sentence longer than this says something. */
const longest = 200

function isSaidOutOfHabit(sentence: string, patterns: readonly RegExp[]): boolean {
  if (sentence.length > longest) return false
  const bare = fold(sentence)
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}\s]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return bare === '' || patterns.some((pattern) => pattern.test(bare))
}

/** `Thanks, bye` is two things said in one sentence. */
function partsOf(sentence: string): string[] {
  return sentence.split(/[,;:–—]+|\s-\s/).filter((part) => part.trim() !== '')
}

/** Whether nothing in a text says anything: greetings, thanks, apologies, marks alone; of an assistant, what it says of itself (GRD-2). */
export function isBoilerplate(text: string, role: Message['role']): boolean {
  const patterns = role === 'assistant' ? [...ofAnyone, ...ofAssistants] : ofAnyone
  return sentences(text).every(
    (sentence) =>
      isSaidOutOfHabit(sentence, patterns) || partsOf(sentence).every((part) => isSaidOutOfHabit(part, patterns)),
  )
}

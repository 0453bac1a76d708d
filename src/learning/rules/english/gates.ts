import type { RuleLanguage } from '../rule-language.ts'

const texts =
  'story|poem|song|letter|e-?mail|essay|bio|biography|speech|script|dialogue|dialog|tweet|post|caption|novel|monologue|message|text|' +
  'paragraph|lyrics|rap|haiku|limerick|joke|jokes|persona|character|profile|review|resume|résumé|cv|sentence|sentences|toast|eulogy|' +
  'conversation|scene|chapter|reply|response|note|ad|introduction|diary|testimonial|prompt|summary|quote|play|skit'

/** `I'm Alice, you're Bob`: parts are given out. */
const partsGiven =
  /(?:^|[.!?:,\s])(?:i(?:'m| am|'ll be| will be)|me,?) (?:the |an? )?[\p{L}'-]+(?: [\p{L}'-]+){0,2},? (?:and |while |but )?you(?:'re| are|'ll be| will be) (?:the |an? )?(?=\S)(?!not\b|so\b|very\b|right\b|welcome\b)[\p{L}-]+(?=$|[.,;!])/iu

/** The message is a game, a translation, a text to be worked on, or somebody else's. */
export const setAside: readonly RegExp[] = [
  partsGiven,
  /\b(?:you are now \w+|pretend|role-?play(?:ing)?|act (?:as|like)|acting as|you are (?:now )?(?:a|an|the|my)|you're (?:now )?(?:a|an|the|my)|as if you were|in character|simulate|behave (?:as|like)|take on the role)\b/i,
  /\b(?:imagine|picture) (?:that |this\b|you|i\b|i'm|we|being|a\b|an\b)/i,
  /\b(?:translate|translation|translated|how (?:do|would|can|could|should) (?:you|i|we|one) say|how to say|what does .{0,80} mean|conjugate|conjugation|proof-?read|rewrite|reword|rephrase|paraphrase|summari[sz]e|tl;?dr|autocorrect)\b/i,
  /\b(?:correct|fix|improve|polish|edit|check|shorten|analy[sz]e|classify|annotate|parse|tokeni[sz]e|label) (?:this|these|the|my|that|following|it|his|her|their)\b/i,
  /\bin (?:german|french|spanish|italian|english|japanese|chinese|dutch|latin|portuguese|russian|hindi|korean|arabic) (?:it|this|that|one|you|we|i) (?:is|says?|would|means?)/i,
  /\b(?:demo|dummy|fake|test|sample|placeholder|mock) (?:account|user|profile|customer|person|record|entry|patient|client)s?\b/i,
  /\b(?:example|sample|test|dummy) (?:sentence|sentences|text|input|data|message|conversation|user|prompt|persona)\b/i,
  /\b(?:once upon a time|chapter \d|plot twist|in the (?:lyrics|song|poem)|song lyrics|the lyrics|lyrics (?:of|to|from)|sang|sings|famous (?:quote|line|words)|movie quote|film quote|quote from|line from|as the saying goes|the saying|proverb|the poem|the character|my character|the protagonist|fan ?fic)\b/i,
  /[♪♫🎵🎶]/u,
  // Nobody says so of himself: it is in what was pasted, for a machine to read.
  /\b(?:ignore|disregard|override|forget|bypass) (?:(?:all|any|every|the|these|those|your|of) ){0,3}(?:(?:previous|prior|earlier|above|preceding|former|system|other|original|existing) ){1,2}(?:instructions?|prompts?|rules?|directions?|directives?|guidelines?|orders?|commands?)\b/i,
  /\b(?:dear|hello|hi) (?:sir|madam|hiring|mr|mrs|ms|recruiter|customer|team)\b[\s\S]{0,3000}\b(?:regards|sincerely|faithfully|best wishes|cheers)\b/i,
]

/** What pages, mails and files are called by whoever pastes them. */
const pasted =
  'web ?sites?|web ?pages?|pages?|sites?|articles?|e-?mails?|mails?|letters?|files?|documents?|docs?|pdfs?|wikipedia|transcripts?|logs?|' +
  'results?|outputs?|newsletters?|blogs?|threads?|comments?|tickets?|clipboard'

export const setAsideAfter: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:${pasted})\b[^.!?\n:]{0,60}:[ \t]*$`, 'im'),
  /\b(?:here is|here's|this is|that is|that's|look at|see) what (?:the|a|an|this|that|it|he|she|they|some|my) [^.!?\n]{0,40}\b(?:says?|said|writes?|wrote|reads|posted|sent)\b/i,
  /^[ \t]*https?:\/\/\S+[ \t]*$/im,
  /^[ \t]*#{1,6}[ \t]*(?:system|instructions?|assistant|user|human|response)\b/im,
  new RegExp(
    String.raw`\b(?:write|draft|compose|generate|create|make up|make|give me|help me write|help me with|help with|finish|continue|complete|need|want) (?:me |us |up )?(?:a|an|the|some|my|this|another|one|two|three|five|\d+)(?: [\w'-]+){0,4}? (?:${texts})\b`,
    'i',
  ),
  /\b(?:say|says|said|wrote|writes|written|text(?:ed|s)?|post(?:ed|s)?|tweet(?:ed|s)?|goes|read|reads|told (?:me|us|him|her|them)|asked|replied|answered|shouted|following|quote|here is|here's|this is|below)\s*(?:this|that|me|it)?\s*:/i,
  /\b(?:for example|for instance|e\.g\.|such as)[,:]?\s/i,
  // White space of a line alone: over several lines it would be read again at each of them.
  /^[^\S\n]*(?:--+|==+|\*\*\*+|__+)[^\S\n]*$/m,
  /^[^\S\n]*(?:dear|hello|hi) [^\n]{1,40},[^\S\n]*\n/im,
]

export const game: RuleLanguage['game'] = {
  begins:
    /\b(?:let(?:'|’)?s (?:pretend|role-?play|play a game|play make|do a role-?play|act out)|role-?play(?:ing)?\b|pretend (?:you|that|i|we|to)|(?:you are|you're|you be|you play|you'll play) [^.!?\n]{1,60}(?:and|,) (?:i am|i'm|i'll be|i play|i will be)\b|(?:mock|practi[cs]e|pretend|fake) (?:job )?(?:interview|conversation|dialogue|call|exam|negotiation|date|scenario)|you(?: be|'re| are|'ll be) (?:the|a|an|my) [a-z ]{2,30}[,;.]? (?:and )?(?:i'll be|i am|i'm|i will be) (?:the|a|an|your)\b|dungeon master|text adventure|act as (?:a|an|my) (?:[\w-]+ )?(?:translator|interpreter|proof-?reader|corrector|editor|spell))/i,
  ends: /\b(?:(?:stop|end|quit|enough of|done with|over with|finish)(?: of)? (?:the |this |our )?(?:role-?play|game|pretending|play|playing|scene|translating)|out of character|(?:game|role-?play|scene) (?:is )?over|stop pretending|back to (?:normal|reality|real life)|for real now|seriously now|end scene)\b/i,
}

export const takenBack: RuleLanguage['takenBack'] = {
  here: /\b(?:just kidding|only kidding|kidding|jk|j\/k|just joking|only joking|joking|not really|as if|yeah,? right|pulling your (?:leg|chain)|(?:just )?messing with you|winding you up|having you on|just teasing|taking the mick|gotcha|made that up|making this up|not serious|sarcasm|sarcastic|april fool'?s?|just a joke|(?:scratch|ignore|forget) that(?!(?:\s*[,.!:;\u2013\u2014-]+)? *(?:i\b|i'm|my|we)\b)|or (?:do|am|did|is|was|have) (?:i|it)(?=\?))\b|(?:^|\s)\/s(?:\s|$)/i,
  before:
    /^\W*(?:(?:oh|ok|okay|actually|haha\w*|hehe|lol|no|nah|sorry|wait|well|hmm),?\W+)*(?:i(?:'m| am| was)? )?(?:just |only )?(?:kidding|jk|j\/k|joking|not really|made that up|lied|lying|pulling your leg|messing with you|winding you up|teasing|april fool'?s?|scratch that|ignore that|forget (?:that|what i (?:just )?said|it)|that was (?:a joke|not true|a lie|sarcasm|sarcastic)|that (?:is not|isn't|wasn't) true)\b/i,
}

/** Over an expanded sentence: nothing in it is said with certainty about the world as it is. */
export const unsure: readonly RegExp[] = [
  /\b(?:metaphorically|figuratively|so to speak|in a manner of speaking|in a sense|in a way(?! that works)|as it were|if you will)\b/i,
  // `I speak German like a Spanish cow`.
  /\bi (?:am|live|work|speak|eat|sleep|drive|run|play|drink|cook|sing|talk|type|code|write|walk|swim|dance)\b[^.;]*?\b(?:like (?:an?|the|some)|in the same way(?: that)?|the way (?:an?|the|some)) (?!native|lot|bit|few)/i,
  /\b(?:hobby|pastime|passion|favorite (?:[\p{L}]+ ){1,4}|talent|job) ?is (?:being|having|getting|waiting|losing|missing|debugging|forgetting|procrastinating|complaining|worrying|overthinking|sleeping|napping|paying|sitting|standing|crying|arguing|queu(?:e)?ing)\b/iu,
  // `I'm basically a nurse` is nearly one.
  /\b(?:i am|i have been|i became|my (?:[\p{L}-]+ ){1,3}(?:is|are)) (?:now |just |really )*(?:basically|practically|essentially|virtually|effectively|pretty much|more or less|something of|kind of|kinda|sort of|sorta|like|half)\b/iu,
  /\b(?:if|unless|suppose|supposing|supposedly|assuming|assume|wish|wished|wishing|hypothetically|hypothetical|theoretically|in theory|on paper|for the sake of|for argument's sake|in an? (?:ideal|perfect) world|in my (?:head|mind|imagination|fantas(?:y|ies))|so (?:they|people) say|or so i|apparently|allegedly|imagine|imagining|pretend|let us say|(?<!\bto )say i|as though|provided that|had i|were i|otherwise i|would have|could have|should have|might have|what would|how would)\b/i,
  /\b(?:dream(?:t|ed|ing)? (?:that|about|of|i)|in (?:a|my) (?:dream|past life|previous life|next life|another life|parallel)|in (?:the|this|my|our|a) (?:game|movie|film|book|novel|story|show|series|campaign|play|sims|minecraft|(?:script|screenplay|scene|sketch|comic|musical|episode|drama|fan ?fic|scenario|simulation|exercise|example|video|poem|song|manga|anime|sequel|draft|chapter|manuscript|demo)(?=,| i\b))|^on (?:tinder|hinge|bumble|stage|tv|screen|the internet),? (?:i am|my name is)\b|in an alternate|alternate universe|if only)\b/i,
  /\b(?:lol|lmao|lmfao|rofl|haha\w*|hehe\w*|hihi|xd|jk|wink wink|i swear|not!|\/s)(?![\w])/i,
  /;-?[)P](?=\s|[.!,]|$)/,
  /[😂🤣😜😝😉🙃🤪😏🙄🤡]/u,
  /\b(?:could eat|die for|dying for|to die for|kill for|to death|a million|a billion|forever and ever|married to (?:my|the) (?:job|work|bed|phone|couch)|under a rock|in a cave|on another planet|on mars|on the moon|rent-?free|live in (?:your|my|his|her) (?:head|walls|dreams)|over the moon|cloud nine|born yesterday|allergic to (?:(?!and\b)[\w-]+ ){0,2}?(?:work|mornings?|mondays?|meetings?|stupid|stupidity|bullshit|exercise|sports|effort|people|drama|idiots?|nonsense|responsibility|commitment|winter|adulting|fun|small talk|chores|housework|homework|paperwork|bad|your|my|his|her|him|this|that|it))\b/i,
  /^(?:oh|ah|wow|great|yay|yeah|sure|right|fantastic|wonderful|brilliant|fabulous|perfect|lovely)\b[,!.… ]+(?:.{0,40}\b)?(?:just (?:what|love)|i (?:just |so |really |absolutely )?(?:love|adore|enjoy)|love)\b/i,
  /\b(?:just|absolutely|so|simply|totally) (?:love|adore|enjoy|loving) (?:it |being|having|getting|waiting|when|how|spending|paying|sitting|standing|working|waking|losing|missing|debugging|fixing|doing|cleaning|dealing)\b/i,
]

const ownLabels =
  /^\s*(?:[-*•]\s*)?(?:(?:ok|okay|so|right|well|also|hi|hello)[ ,]+)?(?:note to (?:the )?(?:assistant|bot|ai|model|team|support|you)|(?:quick |small |short |just an? |just |one |important |some |big |another |little )?(?:update|fyi|note|notes|btw|ps|p\.s|edit|context|intro|introduction|background|about me|correction|news|reminder|important|fact|facts|info|heads[ -]up|question|profile|me|remember|details|preference|preferences|good news|bad news|big news|one thing|random|confession|disclaimer|side note|status|plan|plans|today|ok|okay|so|well|hi|hello|hey)(?: about me| for you| from me)?)\s*:/i

export const isOwnLabel = (line: string): boolean => ownLabels.test(line)

export const isGreeting = (sentence: string): boolean =>
  sentence.length < 60 &&
  /^(?:(?:hi|hey|hello|hiya|howdy|yo|greetings|(?:good )?(?:morning|afternoon|evening)|good day|namaste|salut|hola|ola|hallo|g'day|sup|what is up|nice to meet you|pleased to meet you|how are you(?: doing)?(?: today)?|there|everyone|everybody|all|again|folks|team|assistant|mate|buddy|friend|dear|guys|claude|chatgpt|gpt|bot|ai|let me introduce myself|let me tell you (?:a (?:bit|little) )?about (?:me|myself)|(?:a (?:bit|little) )?about (?:me|myself)|first time here|new here)[\s,.!?]*)+$/i.test(
    sentence,
  )

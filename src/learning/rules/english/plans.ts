import type { Clause, Reading, Rule } from '../rule-language.ts'
import { readWhen, whenWords, withClock, withoutTime } from './dates.ts'
import { isHarmless } from './values.ts'

const monthsOnly =
  /^(?:(?:on )?(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,? (?:19|20)\d\d)?|(?:on )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (?:the )?\d{1,2}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?|(?:on )?(?:19|20)\d\d-\d\d-\d\d)$/i

function birthday(rest: string): Reading | null {
  const value = rest
    .replace(/[.!,]+$/, '')
    .replace(/,? (?:and|so|but|because) .*$/i, '')
    .replace(/ (?:in|at) \p{Lu}.*$/u, '')
    .trim()
  return monthsOnly.test(value)
    ? { attribute: 'birthday', value: value.replace(/^on /i, '').replace(/^the /i, '') }
    : null
}

const conditions =
  "(?:type (?:1|2|one|two) )?diabetes|asthma|(?:coeliac|celiac)(?: disease)?|adhd|add|autism|epilepsy|migraines?|chronic (?:pain|migraines?|fatigue|back pain)|arthritis|rheumatoid arthritis|high blood pressure|low blood pressure|hypertension|hypothyroidism|hyperthyroidism|ibs|crohn'?s(?: disease)?|ulcerative colitis|eczema|psoriasis|insomnia|sleep apn(?:o)?ea|tinnitus|scoliosis|fibromyalgia|lupus|ms|multiple sclerosis|parkinson'?s(?: disease)?|depression|anxiety|ocd|ptsd|bipolar(?: disorder)?|dyslexia|dyscalculia|endometriosis|pcos|anaemia|anemia|gout|hay ?fever|lactose intolerance|gluten intolerance|(?:a )?(?:bad|weak|dodgy) (?:back|knee|knees|heart|hip|shoulder|ankle)|(?:a )?heart (?:condition|murmur|disease)|(?:a )?pacemaker|kidney disease|high cholesterol|acid reflux|gerd|vertigo|glaucoma|cataracts|(?:a )?slipped disc|(?:a )?herniated disc|carpal tunnel(?: syndrome)?|raynaud'?s|cystic fibrosis|sickle cell|haemophilia|hemophilia|cancer|hearing loss|long covid"
const states =
  '(?:lactose|gluten|fructose|histamine)[- ]intolerant|(?:type (?:1|2|one|two) )?diabetic|asthmatic|(?:coeliac|celiac)|colou?r[- ]?blind|pregnant|deaf|blind|hard of hearing|dyslexic|autistic|epileptic|bipolar|anaemic|anemic|left[- ]handed|short[- ]sighted|near[- ]?sighted|long[- ]sighted|immunocompromised|claustrophobic|neurodivergent|partially sighted|visually impaired'

const everyTime = String.raw`(?:every (?:single )?(?:day|morning|evening|night|afternoon|week|weekend|weekday|month|year|summer|winter|spring|autumn|other (?:day|week|weekend)|two weeks|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?: (?:morning|evening|night|afternoon))?|(?:on )?(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)(?: and (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays))?|daily|weekly|(?:once|twice|three times|four times|five times|two times|\d times|a few times|a couple of times) (?:a|per|each) (?:day|week|month|year)|each (?:day|morning|evening|week|night))`
const often = new RegExp(String.raw`(?<![\p{L}])${everyTime}(?![\p{L}])`, 'iu')
const habitVerbs =
  '(?:go|run|walk|swim|jog|cycle|bike|meditate|journal|read|work out|exercise|train|do|practi[cs]e|play|drink|eat|cook|bake|wake up|get up|take|attend|visit|call|volunteer|commute|write|draw|paint|stretch|garden|climb|hike|lift|row|surf|ski|dance|sing|fast|nap|ride|have|skip|listen to|watch|pray|box|sleep|start)'

const notHabit =
  /\b(?:this|that|it|bug|error|issue|problem|crash|crashes|same|you|meeting about|standup meeting|a headache|headaches|nightmares|to deal|trouble)\b/i

const assistantVerbs =
  '(?:answer|reply|respond|write|speak|talk|address|explain|format|keep (?:your|answers|replies|responses|it|things)|using|adding|ending|starting|calling me|apologi[sz]ing|repeating|use|give me|show me|show|include|avoid|add|end|start|call me|send|tell me|assume|remind me|ask me|ask|put|quote|cite|convert|stick to|be (?:concise|brief|direct|honest|blunt|polite|formal|informal|critical|more concise|short)|skip|make|provide|refer to|default to|summarise|summarize|suggest|recommend|check|list|spell)'
const lasting = `(?:always|never ever|never|stop (?=(?:using|adding|ending|starting|calling me|apologi[sz]ing|repeating)\b)|(?:do not|never) ever|from now on,?|going forward,?|in (?:the )?future,?|in all (?:your )?(?:answers|replies|responses),?|for all (?:your )?(?:answers|replies|responses|code),?|by default,?|whenever you (?:answer|reply|respond|write|code|give|show|suggest|explain)[^,]{0,60},|when (?:you (?:answer|reply|respond|write|code|give|show|suggest|explain|talk)|answering|replying|responding|writing|talking)[^,]{0,60},)`
const instruction = new RegExp(
  String.raw`^(?:please |can you |could you |you should |you must |i want you to |i would like you to |i need you to |and )*(?<value>(?:${lasting} ?(?:please )?(?:always |never |do not |only )?(?:${assistantVerbs})|(?:please )?(?:${assistantVerbs}) [^?]{2,120}? (?:from now on|going forward|in (?:the )?future|every time|by default|at all times|in all your (?:answers|replies|responses)|when(?:ever)? you (?:answer|reply|respond|write)[^?]{0,40})|(?:do not|never) (?:ever )?(?:use|include|add|write|give me|recommend|suggest|show me|show|call me|reply|answer|send|start|end|mention)\b[^?]{2,120}? (?:from now on|ever|ever again|anymore|again|in (?:your|the) (?:answers|replies|responses|code|messages)|in (?:the )?future|with me|to me|when(?:ever)? you (?:answer|reply|respond|write)[^?]{0,40}))(?![\p{L}])[^?]*)$`,
  'iu',
)
const generalAdvice =
  /^(?:always|never) (?:use (?:a|an|the|your|protection|sunscreen|eval|goto|force)|make (?:sure|up|it)|end up|give up|give (?:away|in)|tell (?:me |him |her |them |anyone|a |lies)|ask (?:for|a|why|yourself|questions)|start (?:a|with)|check (?:your|the)|add (?:salt|water|the)|put|speak ill|write (?:down|tests)|show (?:weakness|up)|keep it)\b/i

const isPlanVerb =
  /^I (?:am (?:going (?:to|on|out|back)|flying|travell?ing|visiting|moving|leaving|starting|getting|meeting|having|seeing|running|giving|taking|attending|hosting|driving|heading|presenting|speaking|throwing|celebrating|returning|coming back|picking up|interviewing|turning|due|off to|on (?:holiday|vacation|leave|call)|sitting|doing|playing|performing|defending|launching|retiring|graduating|expecting|booked|hiking|sailing|racing|competing)|will (?:be|fly|travel|visit|go|move|start|leave|attend|meet|have|take|turn|run|graduate|get)|fly|leave|start|have (?:a|an|my|the|two|three|dinner|lunch|breakfast|drinks|tickets|booked|surgery|exams?|jury)|have got (?:a|an|my)|turn \d|graduate|travel|arrive|present|defend|move|return|get married|need to (?:renew|pay|submit|file|pick up|return|be (?:at|in)))\b/i
const noPlan =
  /\b(?:may(?!\b(?: \d|,| and|$))|might|could|would|should|maybe|probably|perhaps|hopefully|not sure|thinking|considering|hoping|or (?:on|in)|depends|depending|planning on maybe|try to|problem|question|issue|headache|feeling|bug|idea|no |never|not |crazy|insane|to die|too far|a hard time|a bad day|a good day|trouble|fun|a cold|the flu|a fever)\b/i

const verbForms: Readonly<Record<string, string>> = {
  am: 'is',
  have: 'has',
  will: 'will',
  fly: 'flies',
  get: 'gets',
  need: 'needs',
}

/** `{who} is flying to Rome (3 June, 2026)`. */
function planSentence(what: string, when: string): string {
  const told = what.replace(/^I (\p{L}+)/u, (_, verb: string) => `{who} ${verbForms[verb.toLowerCase()] ?? `${verb}s`}`)
  return `${inThirdPerson(told)} (${when})`
}

/** What somebody says of themselves, as it is said of them. */
export const inThirdPerson = (text: string): string =>
  text
    .replace(/\b(?:my|our)\b/gi, 'their')
    .replace(/\b(?:myself|ourselves)\b/gi, 'themselves')
    .replace(/\b(?:me|us)\b/g, 'them')
    .replace(/\bI am\b/g, 'they are')
    .replace(/\b(?:I|we)\b/g, 'they')

function plan(text: string, { said }: Clause): Reading | null {
  const told = readWhen(text, said, 'future')
  if (told === null) return null
  const { text: what, eventTime } = withClock(withoutTime(text, told), told.eventTime, said.zone)
  if (noPlan.test(what) || what.split(' ').length > 22) return null
  if (Date.parse(eventTime.start) < said.at - 8 * 86_400_000) return null
  const value = what
    .replace(
      /^I (?:am|will|have|have got|need to) (?:going to (?=(?:visit|fly|travel|move|start|meet|attend|run|be|see|have|get|take)\b))?/i,
      '',
    )
    .replace(/^I /i, '')
    .replace(/^(?:a|an|my|the|be) (?=\S)/i, '')
    .replace(/[,.!]+$/, '')
    .replace(/,? (?:because|since|so|and i|and then) .*$/i, '')
    .trim()
  if (value.split(' ').length < 1 || value.length < 3) return null
  const whole = what.replace(/[,.!]+$/, '').replace(/,? (?:because|since|so|and i|and then) .*$/i, '')
  return { attribute: 'plan', value, eventTime, says: planSentence(whole, whenWords(eventTime)) }
}

const events =
  "appointment|exam|interview|wedding|flight|surgery|operation|meeting|presentation|conference|concert|trip|holiday|vacation|party|deadline|check-?up|dentist|marathon|race|graduation|anniversary|due date|start date|last day|first day|thesis defen[cs]e|viva|hearing|test|match|game|recital|reunion|funeral|christening|move|driving test|job interview|visa|contract|lease|mot|performance|show|class|course|finals?|doctor'?s appointment|housewarming"

export const planRules: readonly Rule[] = [
  {
    pattern:
      /^(?:my birthday is|I was born|my (?:date of birth|dob|bday) is|I celebrate my birthday) ?(?:on )?(?<rest>.+)$/i,
    read({ rest = '' }, { text, said }) {
      const direct = birthday(rest)
      if (direct !== null) return direct
      const year = /^(?:in )?(?<year>(?:19|20)\d\d)$/.exec(rest)?.groups?.year
      if (year !== undefined && /born/i.test(text)) return { attribute: 'birthyear', value: year }
      if (!/^(?:today|tomorrow|yesterday)$/i.test(rest)) return null
      const told = readWhen(rest, said, /yesterday/i.test(rest) ? 'past' : 'future')!
      const date = new Date(Date.parse(told.eventTime.start) + 12 * 3_600_000)
      return {
        attribute: 'birthday',
        value: `${date.getUTCDate()} ${date.toLocaleString('en-US', { month: 'long', timeZone: 'UTC' })}`,
      }
    },
  },
  // What the assistant is to do from now on.
  {
    pattern: instruction,
    read({ value = '' }, { sentence }) {
      const text = value
        .replace(/^please /i, '')
        .replace(/[.!]+$/, '')
        .trim()
      const polite =
        /\bplease\b|^when(?:ever)? you\b/i.test(sentence) ||
        /\b(?:answers?|answering|repl(?:y|ies|ying)|respon[ds]\w*|me|your|emojis?|metric|imperial|celsius|fahrenheit|bullet|markdown|british|american|tone|jargon|code|type hints|tabs|spaces|semicolons|comments)\b/i.test(
          text,
        )
      if (!polite || (generalAdvice.test(text) && !/\bplease\b/i.test(sentence))) return null
      if (
        /^(?:never (?:mind|say never)|always (?:remember|look)|in future,? i\b|from now on,? i\b)/i.test(text) ||
        text.split(' ').length < 3
      )
        return null
      return { attribute: 'instruction', value: text.replace(/^(\p{Lu})(?=\p{Ll})/u, (letter) => letter.toLowerCase()) }
    },
  },
  {
    pattern:
      /^I (?:(?:want|prefer|need|would like|like) (?:you to (?<what>(?:always |never |only )?(?:answer|reply|respond|write|speak|use|keep|explain|talk|be|call|give|show|address) .{3,100})|(?:my |your )?(?<form>(?:answers|replies|responses|explanations) (?:in|to be|short|brief|with|without|as) ?.{0,80})))$/i,
    read({ what, form }, { text }) {
      // `I want you to write a poem` is about now.
      if (
        what !== undefined &&
        !/^(?:always|never|only)\b/i.test(what) &&
        !/\b(?:from now on|always|in future|going forward)\b/i.test(text)
      )
        return null
      return { attribute: 'instruction', value: (what ?? form)!.replace(/[.!]+$/, '') }
    },
  },
  // Contact and settings.
  {
    pattern:
      /^(?:my (?:(?:new|work|personal|private) )?(?:email|e-mail|mail)(?: address)? is|you can (?:email|mail|reach) me at|I can be reached at) (?:now )?(?<value>[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,})(?:[ ,.].*)?$/iu,
    read: ({ value = '' }) => ({ attribute: 'email', value }),
  },
  {
    pattern:
      /^my (?:(?:new|work|mobile|cell|phone|home|personal) )*(?:number|phone|mobile|cell) is (?:now )?(?<value>\+?\d[\d ()./-]{5,20}\d)(?:[ ,.].*)?$/i,
    read: ({ value = '' }) => ({ attribute: 'phone', value }),
  },
  {
    pattern:
      /^my (?:(?:home|postal|mailing|new|street) )*address is (?:now )?(?<value>\d+[\p{L}]? .{3,80}|\p{Lu}[\p{L}.'-]+(?: [\p{L}.'-]+)? \d+.{0,60})$/iu,
    read: ({ value = '' }) => ({ attribute: 'address', value: value.replace(/[.]+$/, '') }),
  },
  {
    pattern:
      /^(?:my (?:time ?zone|local time ?zone) is|I am (?:in|on) (?:the )?(?=(?:[A-Z]{2,4}|UTC[+-]?\d*|GMT[+-]?\d*|[A-Z]\w+\/\w+|Pacific|Eastern|Central|Mountain)(?: time(?: ?zone)?)?(?:$|[ ,.]))) ?(?<value>[A-Z]{2,5}(?:[+-]\d{1,2}(?::\d\d)?)?(?![A-Za-z/])|[A-Z]\w+\/\w+|(?:Pacific|Eastern|Central(?: European)?|Mountain) time)(?<rest>.*)$/i,
    read({ value = '', rest = '' }, { text }) {
      if (
        /^I am/i.test(text) &&
        !/\b(?:time|time ?zone)\b/i.test(text) &&
        !/^(?:UTC|GMT|CET|CEST|EST|EDT|PST|PDT|CST|CDT|MST|MDT|IST|BST|JST|AEST|AEDT|EET|WET|NZST|SGT)/.test(value)
      )
        return null
      return /^(?: time ?zone| time)?(?:$|[ ,.])/i.test(rest) ? { attribute: 'timezone', value } : null
    },
  },
  {
    pattern:
      /^I (?:always |only |usually )?(?:use|work with|think in|measure in|go by) (?:the )?(?<value>metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles|kilograms)(?: (?:units?|system|measurements?))?$/i,
    read: ({ value = '' }) => ({ attribute: 'units', value: value.toLowerCase(), says: '{who} uses {value} units' }),
  },
  // Health.
  {
    pattern: new RegExp(
      `^I (?:have|have got|suffer from|live with|was (?:recently )?diagnosed with|have been diagnosed with|got diagnosed with|am living with)(?: (?:severe|mild|bad|chronic|really bad|pretty bad))? (?<value>${conditions})(?<rest>.*)$`,
      'i',
    ),
    read({ value = '', rest = '' }, { plural }) {
      if (
        plural ||
        !/^(?:$|[ ,.])/.test(rest) ||
        /^ (?:about|over|attack|when|today|right now|from|because of|to|in my family|runs|test|research|awareness)\b/i.test(
          rest,
        )
      )
        return null
      return { attribute: 'health', value: value.replace(/^a /i, '') }
    },
  },
  {
    pattern: new RegExp(
      String.raw`^I (?:am|was born|have been)(?: (?:a|an|slightly|severely|mildly|partially|red-green|\d+ (?:weeks|months)|\w+ (?:weeks|months)))? ?(?<value>${states})(?<rest>.*)$`,
      'i',
    ),
    read({ value = '', rest = '' }, { plural }) {
      if (
        plural ||
        !/^(?:$|[ ,.])/.test(rest) ||
        /^ (?:to|with (?:rage|joy|anger|anticipation|ideas)|as a|date|spot|when|rage)\b/i.test(rest)
      )
        return null
      const more = new RegExp(`^(?:,| and|, and) (?<more>${states})(?:$|[ ,.])`, 'i').exec(rest)?.groups?.more
      return [value, ...(more === undefined ? [] : [more])].map((state) => ({
        attribute: 'health',
        value: state.toLowerCase(),
        says: '{who} is {value}',
      }))
    },
  },
  {
    pattern:
      /^I (?:use|am in) a (?<value>wheelchair|hearing aid|walking stick|cane|walker|cpap(?: machine)?|guide dog)(?<rest>.*)$/i,
    read: ({ value = '', rest = '' }) =>
      isHarmless(rest.trim()) ? { attribute: 'health', value, says: '{who} uses a {value}' } : null,
  },
  {
    pattern:
      /^I (?:take|am on) (?<value>metformin|insulin|statins|antidepressants|blood thinners|warfarin|ibuprofen|beta blockers|birth control|the pill|lithium|levothyroxine|ritalin|adderall|prozac|sertraline|zoloft|lexapro|lisinopril|steroids|antihistamines|methotrexate)(?<rest>.*)$/i,
    read: ({ value = '', rest = '' }) =>
      /^(?:$|[ ,.])/.test(rest) && !/headache/i.test(rest)
        ? { attribute: 'health', value, says: '{who} takes {value}' }
        : null,
  },
  // Goals.
  {
    pattern:
      /^my (?:(?:main|big|biggest|long-term|next|current|only|new year's|fitness|career|financial|ultimate|personal) )*(?:goal|goals|dream|resolution|aim|ambition|target)(?: (?:this|for this|for the|for next|in) (?:year|month|week|summer|life|\d{4}))?(?: right now)? is (?:to )?(?<value>.{3,100})$/i,
    read({ value = '' }) {
      const cut = value.replace(/[.!]+$/, '').replace(/,? (?:because|so|but) .*$/i, '')
      return /^(?:not|simple|clear|that|this|unclear|just|the same|over|dead)\b/i.test(cut)
        ? null
        : { attribute: 'goal', value: cut }
    },
  },
  {
    pattern:
      /^I (?:am (?:currently )?(?<how>training for|saving (?:up )?for|saving up to|preparing for|working towards|trying to (?=(?:lose|quit|eat|learn|save|exercise|get (?:fit|in shape|better at|pregnant|healthier)|drink (?:less|more)|read more|sleep|run|cut (?:down|back)|stop smoking|give up|become|reduce|walk more|build (?:muscle|up)|gain)\b))|have been training for|have decided to (?=(?:quit|stop|lose|learn|run|become)\b)) ?(?<value>.{3,90})$/i,
    read({ how = '', value = '' }, { plural }) {
      const cut = value.replace(/[.!]+$/, '').replace(/,? (?:because|so|but|and i) .*$/i, '')
      if (plural && !/saving/i.test(how)) return null
      if (/\b(?:this|that|it|you|your|code|error|script|function|bug)\b/i.test(cut)) return null
      return {
        attribute: 'goal',
        value:
          /^trying|decided/i.test(how) || how === ''
            ? cut
            : `${/^saving/i.test(how) ? 'save for' : how.toLowerCase().replace(/ing (for|towards)$/, ' $1')} ${cut}`,
        says: `{who} is ${how.toLowerCase() || 'aiming at'} ${cut}`,
      }
    },
  },
  // Habits.
  {
    pattern: new RegExp(
      String.raw`^(?:(?<when>${everyTime}),? )?I (?:usually |always |normally |typically |try to |like to )?(?<value>${habitVerbs} .{0,100}|(?:run|swim|jog|meditate|journal|exercise|work out|train|read|cycle|commute|volunteer|fast|stretch)\b.{0,100})$`,
      'iu',
    ),
    read({ when, value = '' }, { plural }) {
      const whole = when === undefined ? value : `${value} ${when}`
      if (
        plural ||
        !often.test(whole) ||
        notHabit.test(whole) ||
        /\b(?:not|never|would|last|next|ago|was|were|had to|used to|for (?:a|two|three) weeks?|until)\b/i.test(whole)
      )
        return null
      const cut = whole
        .replace(/[.!]+$/, '')
        .replace(/,? (?:because|so|but|and i|since|which|to (?:stay|keep|relax)) .*$/i, '')
        .trim()
      return often.test(cut)
        ? {
            attribute: 'habit',
            value: cut.toLowerCase() === cut ? cut : cut,
            says: `{who} has the habit: ${'{value}'}`,
          }
        : null
    },
  },
  {
    pattern:
      /^I (?:(?:have )?(?:quit|stopped|given up|gave up)|no longer|do not|used to|(?:have )?packed in|(?:have )?kicked) (?<value>smok(?:e|ing)|vap(?:e|ing)|drink(?:ing)?(?! (?:coffee|tea|milk|water|wine|beer|alcohol))|gambl(?:e|ing)|runn?(?:ing)?|jog(?:ging)?|go(?:ing)? to the gym|meditat(?:e|ing)|cycl(?:e|ing)|journal(?:ing)?|climb(?:ing)?|swim(?:ming)?|volunteer(?:ing)?|ski(?:ing)?|danc(?:e|ing))(?<rest>.*)$/i,
    read({ value = '', rest = '' }, { text, plural }) {
      if (plural) return null
      if (/^I do not/i.test(text) && !/\banymore\b/i.test(rest)) return null
      if (!/^(?:$|[ ,.])/.test(rest) || /^ (?:for (?:a|the) (?:day|week)|when i can)/i.test(rest)) return null
      return { attribute: 'habit', value: value.toLowerCase(), ends: true, says: '' }
    },
  },
  {
    pattern:
      /^I (?<value>smoke|vape|do yoga|do pilates|do crossfit|work night shifts|work nights|work from home|work remotely|go to bed early|wake up early|get up early|get up at \d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?|wake up at \d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?|go to bed at \d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?)(?<rest>.*)$/i,
    read({ value = '', rest = '' }, { plural }) {
      if (plural || !isHarmless(rest.trim()) || /today|tomorrow|this week/i.test(rest)) return null
      return { attribute: 'habit', value }
    },
  },
  // Dates and plans.
  {
    pattern: new RegExp(
      String.raw`^my (?<what>(?:[\p{L}'-]+ ){0,3}?(?:${events})(?: (?:with|at|for|to|in) [\p{L}'. -]{2,40}?)?) (?:is|starts|takes place|will be|is scheduled for|has been moved to|got moved to|is set for|ends|expires)(?<rest> .+)$`,
      'iu',
    ),
    read({ what = '', rest = '' }, { said }) {
      const told = readWhen(rest, said, 'future')
      if (told === null || told.start > 3 || noPlan.test(rest) || /\b(?:favorite|first day of)\b/i.test(what))
        return null
      return {
        attribute: 'plan',
        value: what,
        eventTime: told.eventTime,
        says: `{whose} {value} (${whenWords(told.eventTime)})`,
      }
    },
  },
  {
    pattern:
      /^(?:(?:on |this |next |tomorrow|today|tonight|in |the |\d|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)[^,]{0,30}?,? )?I (?:am|will|have|fly|leave|start|turn|graduate|travel|arrive|present|defend|move|return|get married|need to)\b.*$/i,
    read(_, clause) {
      const at = clause.text.search(
        /\bI (?:am|will|have|fly|leave|start|turn|graduate|travel|arrive|present|defend|move|return|get|need)\b/i,
      )
      return isPlanVerb.test(clause.text.slice(at))
        ? plan(`${clause.text.slice(at)} ${clause.text.slice(0, at)}`.trim(), clause)
        : null
    },
  },
]

import type { Rule } from '../rule-language.ts'

const assistantVerbs =
  '(?:answer|reply|respond|write|speak|talk|address|explain|format|keep (?:your|answers|replies|responses|it|things)|using|adding|ending|starting|calling me|apologi[sz]ing|repeating|use|give me|show me|show|include|avoid|add|end|start|call me|send|tell me|assume|remind me|ask me|ask|put|quote|cite|convert|stick to|be (?:concise|brief|direct|honest|blunt|polite|formal|informal|critical|more concise|short)|skip|make|provide|refer to|default to|summarise|summarize|suggest|recommend|check|list|spell)'
const lasting = String.raw`(?:always|never ever|never|stop (?=(?:using|adding|ending|starting|calling me|apologi[sz]ing|repeating)\b)|(?:do not|never) ever|from now on,?|going forward,?|in (?:the )?future,?|in all (?:your )?(?:answers|replies|responses),?|for all (?:your )?(?:answers|replies|responses|code),?|by default,?|whenever you (?:answer|reply|respond|write|code|give|show|suggest|explain)[^,]{0,60},|when (?:you (?:answer|reply|respond|write|code|give|show|suggest|explain|talk)|answering|replying|responding|writing|talking)[^,]{0,60},)`
const instruction = new RegExp(
  String.raw`^(?:please |can you |could you |you should |you must |i want you to |i would like you to |i need you to |and )*(?<value>(?:${lasting} ?(?:please )?(?:always |never |do not |only )?(?:${assistantVerbs})|(?:please )?(?:${assistantVerbs}) [^?]{2,120}? (?:from now on|going forward|in (?:the )?future|every time|by default|at all times|in all your (?:answers|replies|responses)|when(?:ever)? you (?:answer|reply|respond|write)[^?]{0,40})|(?:do not|never) (?:ever )?(?:use|include|add|write|give me|recommend|suggest|show me|show|call me|reply|answer|send|start|end|mention)\b[^?]{2,120}? (?:from now on|ever|ever again|anymore|again|in (?:your|the) (?:answers|replies|responses|code|messages)|in (?:the )?future|with me|to me|when(?:ever)? you (?:answer|reply|respond|write)[^?]{0,40}))(?![\p{L}])[^?]*)$`,
  'iu',
)
const generalAdvice =
  /^(?:always|never) (?:use (?:a|an|the|your|protection|sunscreen|eval|goto|force)|make (?:sure|up|it)|end up|give up|give (?:away|in)|tell (?:me |him |her |them |anyone|a |lies)|ask (?:for|a|why|yourself|questions)|start (?:a|with)|check (?:your|the)|add (?:salt|water|the)|put|speak ill|write (?:down|tests)|show (?:weakness|up)|keep it)\b/i

/** What the assistant is to do from now on; how and where somebody is reached. */
export const wishRules = (): readonly Rule[] => [
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
        /^(?:never (?:mind|say never)|never give me (?:that|this|the|those)|always (?:remember|look)|in future,? i\b|from now on,? i\b)/i.test(
          text,
        ) ||
        text.split(' ').length < 3
      )
        return null
      return { attribute: 'instruction', value: text.replace(/^(\p{Lu})(?=\p{Ll})/u, (letter) => letter.toLowerCase()) }
    },
  },
  {
    pattern:
      /^I (?:(?:want|prefer|need|would like|would prefer|like) (?:you to (?<what>(?:always |never |only )?(?:answer|reply|respond|write|speak|use|keep|explain|talk|be|call|give|show|address) .{3,100})|(?:my |your )?(?<form>(?:answers|replies|responses|explanations) (?:in|to be|short|brief|with|without|as) ?.{0,80})))$/i,
    read({ what, form }, { text }) {
      const units = /\bin (?<units>metric|imperial|celsius|fahrenheit)(?: units?)?(?:$|,| please| thanks)/i.exec(
        form ?? '',
      )?.groups?.units
      if (units !== undefined)
        return { attribute: 'units', value: units.toLowerCase(), says: '{who} prefers {value} units' }
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
    read: ({ value = '' }) =>
      /^[\p{Lu}\d]/u.test(value) && !/\b(?:obviously|of course|naturally)\b/i.test(value)
        ? { attribute: 'address', value: value.replace(/[.]+$/, '') }
        : null,
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
]

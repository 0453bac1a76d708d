import type { Reading, Rule } from '../rule-language.ts'
import { calledSo, employer } from './employers.ts'
import { fields } from './fields.ts'
import { isSubject } from './kinds-of-things.ts'
import { noJob, profession, work } from './line-of-work.ts'
import { past } from './places.ts'
import { isHarmless, readPlace, upTo } from './values.ts'

export const workRules = (): readonly Rule[] => [
  {
    pattern:
      /^I am an? (?:(?:first|second|third|fourth|final)[- ]year |part-time |full-time |mature |postgraduate |graduate |undergraduate |master's |phd )*(?<value>[\p{L}]+(?: [\p{L}]+)?) student(?<rest>.*)$/iu,
    read({ value = '', rest = '' }, clause) {
      if (!isSubject(value) || !/^(?:$|[,.]| (?:at|in|and|from|but|who|with)\b)/i.test(rest)) return null
      const school = / (?:at|from) (?:the )?(?<school>\p{Lu}.+)$/u.exec(rest)?.groups?.school
      const found = school === undefined ? null : readPlace(school)
      return [
        { attribute: 'job', value: 'student', says: '{who} is a student' },
        { attribute: 'study', value },
        ...(found === null || clause.plural ? [] : [{ attribute: 'school', value: found.value }]),
      ]
    },
  },
  {
    pattern:
      /^I (?:no longer work|do not work|am no longer working|used to work|am not working) (?:at|for) (?<rest>.+)$/i,
    read({ rest = '' }, clause) {
      if (/^I (?:do|am) not/i.test(clause.text) && !/\b(?:anymore|any longer)\b/i.test(rest)) return null
      return employer(rest.replace(/ (?:anymore|any longer).*$/i, ''), clause, { ends: true })
    },
  },
  {
    pattern: /^I (?:no longer work|do not work|used to work|am no longer working) as (?:an? )?(?<rest>.+)$/i,
    read({ rest = '' }, { text }) {
      if (/^I do not/i.test(text) && !/\banymore\b/i.test(rest)) return null
      const found = upTo(rest.replace(/ anymore.*$/i, ''), 4)
      return found === null ? null : { attribute: 'job', value: found.value, ends: true }
    },
  },
  {
    pattern: /^I (?:am no longer(?: just)?|used to be|am not) an? (?<rest>.+)$/i,
    read({ rest = '' }, { text }) {
      if (/^I am not/i.test(text) && !/\banymore\b/i.test(rest)) return null
      const match = profession.exec(rest)
      if (match === null || noJob.test(match.groups!.value!)) return null
      return { attribute: 'job', value: match.groups!.value!, ends: true }
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally |officially )*(?:quit my job at|left my job at|left my job with|left my position at|resigned from|got fired from|was fired from|was laid off from|got laid off from|got laid off by|was let go from|was let go by|lost my job at|lost my job with|got made redundant (?:by|from|at)|was made redundant (?:by|from|at)|stopped working (?:at|for)|quit working (?:at|for)|handed in my notice at) (?<rest>.+)$/i,
    read: ({ rest = '' }, clause) =>
      employer(rest.replace(/^my (?:job|position|role) (?:at|with) /i, ''), clause, { ends: true }),
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently )?(?:switched|changed|moved) (?:(?:jobs|employers|companies) )?from (?<old>\p{Lu}[\p{L}\p{N}&.' -]{1,40}?) to (?<rest>\p{Lu}.+)$/u,
    read({ old = '', rest = '' }, clause) {
      if (!/\b(?:jobs?|work|team|employers?|company|companies|career)\b/i.test(clause.sentence)) return null
      const [left, joined] = [employer(old, clause, { ends: true }), employer(rest, clause)]
      return left === null || joined === null ? null : [left, joined]
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently )?(?:left|quit) (?<old>\p{Lu}[\p{L}\p{N}&.' -]{1,40}?) (?:for|to join|to work (?:at|for)) (?:a (?:new )?(?:job|role|position) (?:at|with) )?(?<rest>\p{Lu}.+)$/u,
    read({ old = '', rest = '' }, clause) {
      if (!/\b(?:quit|job|role|position|join|work)\b/i.test(clause.text)) return null
      const [left, joined] = [employer(old, clause, { ends: true }), employer(rest, clause)]
      return left === null || joined === null ? null : [left, joined]
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*(?:started|got|accepted|took|began) (?:a|my|the) (?:new )?(?:job|role|position) as (?<rest>an? .+)$/i,
    read: ({ rest = '' }, clause) => (past.test(clause.sentence) ? null : work(rest, clause, true)),
  },
  {
    pattern: /^I (?:have )?(?:just |recently |finally )*(?:left|quit) (?<rest>\p{Lu}.+)$/u,
    read({ rest = '' }, clause) {
      // Towns are left too: only with a word of work beside it.
      return /\b(?:joined|new job|to join|started (?:a|at)|my job)\b/.test(clause.sentence)
        ? employer(rest, clause, { ends: true })
        : null
    },
  },
  {
    pattern:
      /^I (?:(?:have )?(?:just |recently |finally )*(?:joined|started (?:working )?(?:at|for|with)|started (?:a|my) (?:new )?(?:job|role|position) (?:at|with)|(?:have )?got (?:a|the|my) (?:new )?(?:job|role|position) (?:at|with)|have a (?:new )?(?:job|role|position) (?:at|with)|was hired by|got hired (?:by|at)|began working (?:at|for))|now work (?:at|for)) (?<rest>.+)$/i,
    read({ rest = '' }, clause) {
      if (past.test(clause.sentence)) return null
      const joined = /\bjoined\b/i.test(clause.text)
      // One also joins clubs and calls: only with a word of work beside it.
      if (
        joined &&
        !calledSo.test(rest) &&
        !/\bleft \p{Lu}/u.test(clause.sentence) &&
        !/\b(?:as (?:an? )|quit|work|job|company|startup|start-up|team at|engineer|employer)\b/i.test(clause.sentence)
      )
        return null
      if (joined && !/^(?:the )?\p{Lu}/u.test(rest) && !calledSo.test(rest) && !clause.lowerCase) return null
      const found = employer(rest, clause)
      const role = / as (?<role>an? .+)$/i.exec(rest)?.groups?.role
      const job = role === undefined ? null : work(role, clause, true)
      return found === null ? null : [found, ...(job ?? [])]
    },
  },
  {
    pattern:
      /^I (?:work|am working|have worked|have been working|am employed|serve|moonlight)(?: (?:full-time|part-time|full time|part time|remotely|freelance|here|now|today|mainly|nights|shifts))* as (?<rest>.+)$/i,
    read: ({ rest = '' }, clause) =>
      /^(?:hard|much|fast|well|if|usual|a team|one|a (?:group|unit|charm))\b/i.test(rest)
        ? null
        : work(rest, clause, true),
  },
  {
    pattern:
      /^I (?:work|am working|have been working|have worked|am employed)(?: (?:full-time|part-time|full time|part time|remotely|nights|shifts|here|mainly|mostly|(?:one|two|three|four|five|\d) days a week))*(?: in (?<field>[\p{L} &]{2,25}))? (?:at|for|by) (?<rest>.+)$/iu,
    read({ field, rest = '' }, clause) {
      if (
        /^I have worked/i.test(clause.text) &&
        !/\b(?:since|for (?:the (?:last|past) )?(?:\w+|\d+) (?:years?|months?|weeks?|decades?))\b/i.test(clause.text)
      )
        return null
      const found = employer(rest, clause)
      if (found === null) return null
      const role = / as (?<role>an? .+)$/i.exec(rest)?.groups?.role
      const job = role === undefined ? null : work(role, clause, true)
      const inField =
        field !== undefined && new RegExp(`^${fields}$`, 'i').test(field) ? [{ attribute: 'field', value: field }] : []
      return [...inField, found, ...(job ?? [])]
    },
  },
  {
    // One is at many places: only with a word of work beside it.
    pattern:
      /^I am (?:now )?(?:at|with) (?<rest>\p{Lu}[\p{L}\p{N}&.'-]+(?: \p{Lu}[\p{L}\p{N}&.'-]+)?(?: (?:now|these days))?)$/u,
    read: ({ rest = '' }, clause) =>
      /\b(?:work|working|worked|job|employer)\b[^.]*\bI am (?:now )?(?:at|with) [^.]*\bnow\b|\b(?:anymore|no longer|quit|left my job)\b[^.]*\bI am now/i.test(
        clause.sentence,
      )
        ? employer(rest.replace(/ (?:now|these days)$/, ''), clause)
        : null,
  },
  {
    pattern: new RegExp(
      `^I (?:work|am working|have been working|am) in (?:the )?(?<value>${fields})(?: (?:industry|sector|field|business|department))?(?<rest>(?:$|[ ,].*))$`,
      'i',
    ),
    read({ value = '', rest = '' }, { text }) {
      if (/^I am in/i.test(text)) return null
      return isHarmless(rest.trim()) || /^ (?:at|for|as)\b/i.test(rest) ? { attribute: 'field', value } : null
    },
  },
  {
    pattern:
      /^my (?:(?:current|new|day|main|actual) )?(?:job|profession|occupation|job title|title|position|role)(?: title)? is (?<rest>.+)$/i,
    read: ({ rest = '' }, clause) =>
      /^(?:to|very|so|not|too|at|in|being|stressful|boring|killing|great|good|bad|fine|hard|tough|going|done)\b/i.test(
        rest,
      )
        ? null
        : work(rest, clause, /title|profession|occupation/i.test(clause.text) || /^an? /i.test(rest)),
  },
  {
    pattern: /^my new job is (?:at|with) (?<rest>\p{Lu}.+)$/u,
    read: ({ rest = '' }, clause) => employer(rest, clause),
  },
  {
    pattern: /^[Mm]y (?:(?:current|new) )?(?:employer|company|workplace) is (?<rest>(?:called )?\p{Lu}.+)$/u,
    read: ({ rest = '' }, clause) => employer(rest.replace(/^called /, ''), clause),
  },
  {
    pattern:
      /^I (?:am|got promoted to|was promoted to|have been promoted to|am promoted to|have been|became|just became|have become) (?:now )?(?:also )?(?<rest>(?:an? )?[\p{L}].+)$/iu,
    read({ rest = '' }, clause) {
      const own = /^(?<status>retired|unemployed|self-employed|jobless)(?<after>.*)$/i.exec(rest)
      if (own !== null && isHarmless(own.groups!.after!.trim())) {
        return { attribute: 'job', value: own.groups!.status!.toLowerCase(), says: '{who} is {value}' }
      }
      const former = /^a retired (?<job>.+)$/i.exec(rest)?.groups?.job
      if (former !== undefined) {
        const job = work(`a ${former}`, clause, false)?.[0]
        return job === undefined
          ? null
          : { attribute: 'job', value: `retired ${job.value}`, says: '{who} is a {value}' }
      }
      if (/promoted to/i.test(clause.text)) return work(rest, clause, true)
      const led = rest.replace(
        /^the (?=(?:CEO|CTO|CFO|COO|CMO|CIO|head|founder|co-founder|director|owner|principal|manager)\b)/i,
        '',
      )
      const owned = /^(?:an? )?(?<role>(?:co-)?(?:owner|founder) of (?:the )?\p{Lu}.*)$/u.exec(
        led.replace(/^the (?=(?:co-)?(?:owner|founder) of)/, ''),
      )?.groups?.role
      if (owned !== undefined) return work(owned, clause, true)
      // `the CEO of bad decisions`.
      if (
        /^(?:an? )?(?:[\p{L}-]+ ){1,2}of (?!(?:an?|the|my|our|this|\d|two|three|four|five|six|ten)\b)\p{Ll}/u.test(
          led,
        ) &&
        /^the\b/i.test(rest) &&
        /^(?:ceo|cto|cfo|coo|cmo|cio|founder)\b/i.test(led)
      )
        return null
      if (!/^an? /i.test(led) && !/^(?:CEO|CTO|CFO|COO|head|founder|co-founder|director|principal)\b/i.test(led))
        return null
      if (/^I have been(?! promoted)/i.test(clause.text) && !/\b(?:for|since)\b/.test(rest)) return null
      return work(led, clause, false)
    },
  },
  {
    pattern:
      /^I (?:manage|lead|head|run|head up) (?:a|the|our|my) (?:[\p{L}-]+ ){0,3}?(?:team|department|group|division|office|branch)(?: of (?:[\p{L}\d-]+ ?){1,2}?)? (?:at|for) (?<rest>\p{Lu}.+)$/u,
    read: ({ rest = '' }, clause) => employer(rest, clause),
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*retired(?: early)?(?: (?:in|last(?! night)|at|this(?! (?:morning|evening))|from|after|two|three|four|five|\d).*)?$/i,
    read: () => ({ attribute: 'job', value: 'retired', says: '{who} is retired' }),
  },
  {
    pattern: /^I teach (?<value>[\p{L}][\p{L} ]{2,30}?)(?: (?:at|in|to) (?<rest>.+))?$/iu,
    read: ({ value = '' }) =>
      !isSubject(value) ||
      /^(?:you|him|her|them|us|others|someone|everyone|my|myself|people|kids|children|students|adults|a|the|at|in)\b/i.test(
        value,
      )
        ? null
        : { attribute: 'job', value: `${value} teacher`, says: `{who} teaches ${value}` },
  },
  // Study.
  {
    pattern:
      /^I (?:study|am studying|major in|am majoring in|am doing a degree in|am doing (?:a|my) (?:phd|master's|masters|bachelor's|degree) in|am pursuing a (?:[\p{L}.']+ ){1,3}in|read)(?: for (?:a|my) (?:degree|master's|masters|msc|ma|phd|doctorate|bachelor's|ba|bsc|diploma) in)? (?<value>[\p{L}][\p{L} &-]{2,40}?)(?:(?: degree)? (?:at|in) (?<rest>\p{Lu}.+)|(?<after>,.*| (?:with|because|and|right|this|now|since|so|but).*))?$/iu,
    read({ value = '', rest }, { text }) {
      if (/^I read\b/i.test(text) && rest === undefined) return null
      if (
        /^(?:for|hard|the|this|that|how|it|at|in|a|an|my|your|with|late|every|all|abroad|alone|about|best|better|from|to|too|and|online|english grammar|these|what|while|remotely|part|full)\b/i.test(
          value,
        )
      )
        return null
      if (/^I read\b/i.test(text)) return null
      if (!isSubject(value)) return null
      const readings: Reading[] = [{ attribute: 'study', value }]
      const school = rest === undefined ? null : readPlace(rest)
      if (school !== null && / at /.test(text)) readings.push({ attribute: 'school', value: school.value })
      return readings
    },
  },
  {
    pattern:
      /^I (?:study|am studying|go to (?:school|college|uni|university|(?=\p{Lu}))|attend|am enrolled|am a (?:[\p{L}-]+ ){0,3}student) ?(?:at|in)? (?<rest>\p{Lu}.+)$/u,
    read({ rest = '' }) {
      if (/^(?:I|Mondays?|Berlin)\b/.test(rest)) return null
      const found = readPlace(rest)
      return found !== null &&
        /\b(?:University|College|School|Institute|Academy|MIT|ETH|TU|UCLA|UCL|NYU|LSE|IIT|KIT|Oxford|Cambridge|Harvard|Stanford|Yale|Princeton|Imperial|Caltech|Berkeley|LMU|RWTH|High)\b/.test(
          found.value,
        )
        ? { attribute: 'school', value: found.value }
        : null
    },
  },
  {
    pattern:
      /^I (?:have|hold|did|got|finished|completed|earned)(?: (?:a|an|my))? (?<value>(?:b\.?tech|m\.?tech|bba|bca|mca|b\.?com|m\.?com|llb|md|b\.e\.|m\.e\.|phd|ph\.d\.?|doctorate|master'?s?(?: degree)?|bachelor'?s?(?: degree)?|ba|bsc|msc|ma|mba|degree|diploma)(?: (?:in|of) [\p{L}][\p{L} &-]{2,40}?)?)(?: (?:from|at) (?<school>\p{Lu}.+))?(?<rest>,.*)?$/iu,
    read({ value = '', school }) {
      const subject = / (?:in|of) (?<subject>.+)$/i.exec(value)?.groups?.subject
      if (subject !== undefined && !isSubject(subject)) return null
      if (!/ (?:in|of) /.test(value) && school === undefined && !/^(?:phd|mba)/i.test(value)) return null
      // `a doctorate from the university of life`.
      if (school !== undefined && !/^(?:the )?\p{Lu}/u.test(school)) return null
      return {
        attribute: 'education',
        value: school === undefined ? value : `${value} from ${school.replace(/[.,].*$/, '')}`,
        says: /^[aeio]|^mba|^msc|^ma\b/i.test(value) ? '{who} has an {value}' : '{who} has a {value}',
      }
    },
  },
  {
    pattern: /^I (?:graduated|have graduated|got my degree) (?:in [\p{L} ]{3,30} )?from (?<rest>\p{Lu}.+)$/u,
    read({ rest = '' }) {
      const found = readPlace(rest)
      return found === null
        ? null
        : { attribute: 'education', value: found.value, says: '{who} graduated from {value}' }
    },
  },
]

import type { Clause, Reading, Rule } from '../rule-language.ts'
import { past } from './places.ts'
import { isHarmless, readPlace, upTo } from './values.ts'

const professions =
  'nurse|doctor|teacher|schoolteacher|engineer|developer|dev|programmer|designer|architect|lawyer|attorney|solicitor|barrister|accountant|analyst|scientist|researcher|professor|lecturer|(?:qa|test|design|data|product|engineering|project|support|research) lead|tutor|writer|author|journalist|editor|translator|interpreter|photographer|artist|illustrator|musician|singer|actor|actress|dancer|chef|cook|baker|barista|waiter|waitress|bartender|butcher|farmer|gardener|florist|carpenter|plumber|electrician|mechanic|welder|builder|roofer|painter|driver|pilot|steward|stewardess|flight attendant|paramedic|firefighter|police officer|policeman|policewoman|cop|soldier|veteran|detective|judge|paralegal|secretary|receptionist|administrator|admin|clerk|cashier|salesman|saleswoman|salesperson|sales rep|estate agent|realtor|broker|banker|trader|economist|consultant|manager|director|executive|ceo|cto|cfo|coo|founder|co-founder|cofounder|entrepreneur|freelancer|contractor|recruiter|marketer|copywriter|strategist|planner|coordinator|supervisor|foreman|librarian|archivist|curator|historian|philosopher|psychologist|psychiatrist|therapist|physiotherapist|physio|counsellor|counselor|social worker|caregiver|carer|nanny|au pair|midwife|dentist|hygienist|surgeon|physician|gp|vet|veterinarian|pharmacist|radiologist|cardiologist|paediatrician|pediatrician|optician|optometrist|chemist|biologist|physicist|mathematician|statistician|geologist|astronomer|data scientist|technician|operator|tester|sysadmin|devops engineer|sre|product owner|scrum master|civil servant|diplomat|politician|priest|pastor|imam|rabbi|monk|nun|coach|personal trainer|athlete|footballer|referee|hairdresser|barber|beautician|stylist|tailor|seamstress|jeweller|watchmaker|potter|cleaner|janitor|housekeeper|caretaker|security guard|postman|courier|lorry driver|trucker|taxi driver|train driver|sailor|fisherman|lifeguard|surveyor|quantity surveyor|auditor|actuary|underwriter|bookkeeper|postdoc|teaching assistant|headteacher|principal|zookeeper|beekeeper|winemaker|brewer|undertaker|locksmith|intern|apprentice|trainee|stay-at-home mom|stay-at-home mum|stay-at-home dad|homemaker|housewife|student|pensioner|streamer|youtuber|blogger|podcaster|producer|filmmaker|animator|composer|conductor|violinist|pianist|dj|sommelier|bus driver|dietitian|nutritionist|toxicologist|linguist|archaeologist|anthropologist|sociologist|neurologist|anaesthetist|anesthesiologist|dermatologist|oncologist|instructor|team lead|tech lead|engineering lead'
const profession = new RegExp(
  String.raw`^(?:an? )?(?<value>(?:[\p{L}/&+#.-]+ ){0,4}?(?:${professions})(?: (?:${professions}))?(?:/[\p{L}-]+)?)(?![\p{L}'-])(?<rest>.*)$`,
  'iu',
)
const noJob =
  /\b(?:to|and|promoted|others|bad|good|great|terrible|horrible|lousy|decent|huge|big|keen|fan|better|worst|best|amateur|hobby|aspiring|wannabe|would-be|former|ex|retired|once|kind|sort|bit|home|morning|slow|fast|quick|careful|visual|frequent|nervous|confident|safe|backseat|passionate|fussy|lifelong|not|no|real|natural|born|self-confessed|slow|mediocre|novice|beginner|non|future|the|my|your|his|her|armchair|keyboard|people|designated|proud|mere|little|solo|occasional|weekend)\b/i

/** A line of work and where, from `a nurse at St. Mary's`. */
export function work(rest: string, clause: Clause, any: boolean): readonly Reading[] | null {
  const match = profession.exec(rest)
  let value: string
  let after: string
  if (match !== null) {
    value = match.groups!.value!
    after = match.groups!.rest!.trim()
    if (
      noJob.test(value) ||
      /^(?:of (?:the|my|life|my own)|by (?:heart|nature)|in training|for (?:a|one) day|of mine|who|than|at heart|when it)/i.test(
        after,
      )
    )
      return null
    // Something follows that makes another word of it: `a teacher friend`, `a student loan`.
    if (
      /^[\p{Ll}-]+/u.test(after) &&
      !/^(?:at|for|in|with|from|and|by|who|but|now|on|of|here|based|working|living|since|so|too|again|this|last|today|yesterday|recently|three|two|specialising|specializing|turned)\b/i.test(
        after,
      )
    )
      return null
    if (/^by (?:profession|trade|training|day)/i.test(after)) after = after.replace(/^by \w+ ?/i, '')
  } else {
    const free = any ? upTo(rest.replace(/^an? /i, ''), 4) : null
    if (
      free === null ||
      noJob.test(free.value) ||
      /^(?:a|an|the|my|his|her|hard|much|well|fast|if|part|expected|usual|intended|one|always|normal|it|hell|planned)\b/i.test(
        free.value,
      )
    )
      return null
    value = free.value
    after = free.rest
  }
  const readings: Reading[] = [
    /^student$/i.test(value) ? { attribute: 'job', value: 'student', says: '{who} is a student' } : jobReading(value),
  ]
  // `a nurse with a bad back`: who somebody works with is a name.
  const at = /^(?:(?:at|for) |with (?=(?:the )?\p{Lu}))(?<where>.+)$/u.exec(after)?.groups?.where
  const employer = at === undefined ? null : employerOf(at, clause)
  if (employer !== null)
    readings.push({ attribute: /\bstudent$/i.test(value) ? 'school' : 'employer', value: employer })
  return readings
}

const article = (value: string): string => (/^[aeiou]/i.test(value) ? 'an' : 'a')
const jobReading = (value: string): Reading => ({
  attribute: 'job',
  value,
  says: `{who} works as ${article(value)} {value}`,
})

const noEmployer =
  /^(?:home|night|nights|least|times|all|my|the moment|present|weekends?|once|last|first|day|days|odd|sea|height|scale|speed|pace|it|this|that|these|those|them|him|her|us|you|me|myself|a living|free|money|peanuts|pay|fun|hire|now|years?|months?|two|three|four|five|six|seven|eight|nine|ten|\d.*|a (?:long|few|while|couple|year|month|week|bit|better|good|decent|different|new|client|customer|friend|living|desk|computer|laptop|café|cafe|client's|reason)|an (?:hour|evening|early)|the (?:same|moment|time|weekend|weekends|computer|office|desk|company|team|project|best|next|last|past|first|man|most|money|people|future|other)|monday.*|christmas|someone|somebody|people|clients|customers|both|several|various|many|different|work)\b/i

/** `a small charity called Brightside`. */
const calledSo =
  /^(?:a|an|the|this) (?:[\p{L}-]+ ){0,3}(?:charity|company|start-?up|firm|law firm|agency|studio|bank|school|ngo|nonprofit|non-profit|consultancy|bakery|hospital|clinic|shop|business|organi[sz]ation|practice|publisher|restaurant|hotel) (?:called|named) (?=\p{Lu})/iu

/** `the Danish tax office`: the name goes on in small letters. */
const institutionBehind =
  /^the \p{Lu}[\p{L}-]+ (?:\p{Ll}[\p{L}-]+ ){0,2}(?:office|ministry|agency|authority|army|navy|police|council|embassy|bank|railways?|government|parliament|post|museum|library|university|hospital|court)(?=$|[ ,.;!])/u

/** The name of who one works for. */
function employerOf(given: string, { lowerCase }: Clause): string | null {
  const text = given.replace(calledSo, '')
  if (noEmployer.test(text)) return null
  const proper =
    /^(?:the )?(?:\p{Lu}|\d)[\p{L}\p{N}\p{M}'.&/+-]*(?: (?:(?:of|and|&|for|de|the|at) ){0,2}(?:\p{Lu}[\p{L}\p{N}\p{M}'.&/+-]*|\d+))*/u.exec(
      text,
    )
  const institution = institutionBehind.exec(text)?.[0]
  if (proper !== null) {
    const value = institution ?? proper[0].replace(/[.,]$/, '').replace(/ (?:and|of|for|at)$/, '')
    if (/ and I\b/.test(value) || /^(?:I|Mondays?|Tuesdays?|Sundays?|Saturdays?|Fridays?|Christmas)\b/.test(value))
      return null
    const rest = text.slice(value.length).trim()
    return isHarmless(rest) ||
      /^(?:as|in|part|on|full|headquarters|office|hospital|school|ltd|inc|since|too)\b/i.test(rest)
      ? value
      : null
  }
  const found = upTo(text, 4)
  if (found === null || noEmployer.test(found.value) || !(isHarmless(found.rest) || /^(?:as|in|on)\b/.test(found.rest)))
    return null
  if (/^(?:a|an|the) /i.test(found.value))
    return /^(?:a|an|the) (?:[\p{L}-]+ ){0,3}[\p{L}-]{3,}$/u.test(found.value) ? found.value : null
  return lowerCase && !found.value.includes(' ') && found.value.length > 2 ? found.value : null
}

export const employer = (text: string, clause: Clause, more: Partial<Reading> = {}): Reading | null => {
  const value = employerOf(text, clause)
  return value === null ? null : { attribute: 'employer', value, ...more }
}

const fields =
  '(?:it|hr|pr|ux|ui|qa|r&d|devops|finance|marketing|sales|tech|healthcare|health care|retail|education|academia|hospitality|construction|logistics|insurance|banking|advertising|publishing|real estate|consulting|law|medicine|engineering|manufacturing|software|cybersecurity|security|agriculture|government|media|journalism|film|fashion|tourism|biotech|pharma|fintech|design|research|customer (?:service|support|success)|human resources|public relations|procurement|supply chain|data science|machine learning|ai|architecture|aviation|automotive|energy|renewables|telecoms?|gaming|game development|web development|social work|childcare|operations|accounting|tv|television|theatre|politics)'

export const workRules = (): readonly Rule[] => [
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
      /^I (?:(?:have )?(?:just |recently |finally )*(?:joined|started (?:working )?(?:at|for|with)|started (?:a|my) (?:new )?(?:job|role|position) (?:at|with)|got (?:a|the|my) (?:new )?(?:job|role|position) (?:at|with)|was hired by|got hired (?:by|at)|began working (?:at|for))|now work (?:at|for)) (?<rest>.+)$/i,
    read({ rest = '' }, clause) {
      if (past.test(clause.sentence)) return null
      const joined = /\bjoined\b/i.test(clause.text)
      // One also joins clubs and calls: only with a word of work beside it.
      if (
        joined &&
        !calledSo.test(rest) &&
        !/\b(?:as (?:an? )|left [A-Z]|quit|work|job|company|startup|start-up|team at|engineer|employer)\b/i.test(
          clause.sentence,
        )
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
      /^I (?:have )?(?:just |recently |finally )*retired(?: (?:in|last|at|this|early|from|after|two|three|four|five|\d).*)?$/i,
    read: () => ({ attribute: 'job', value: 'retired', says: '{who} is retired' }),
  },
  {
    pattern: /^I teach (?<value>[\p{L}][\p{L} ]{2,30}?)(?: (?:at|in|to) (?<rest>.+))?$/iu,
    read: ({ value = '' }) =>
      /^(?:you|him|her|them|us|others|someone|everyone|my|myself|people|kids|children|students|adults|a|the|at|in)\b/i.test(
        value,
      )
        ? null
        : { attribute: 'job', value: `${value} teacher`, says: `{who} teaches ${value}` },
  },
  // Study.
  {
    pattern:
      /^I (?:study|am studying|major in|am majoring in|am doing a degree in|am doing (?:a|my) (?:phd|master's|masters|bachelor's|degree) in|am pursuing a (?:[\p{L}.']+ ){1,3}in|read)(?: for a degree in)? (?<value>[\p{L}][\p{L} &-]{2,40}?)(?:(?: degree)? (?:at|in) (?<rest>\p{Lu}.+)|(?<after>,.*| (?:with|because|and|right|this|now|since|so|but).*))?$/iu,
    read({ value = '', rest }, { text }) {
      if (/^I read\b/i.test(text) && rest === undefined) return null
      if (
        /^(?:for|hard|the|this|that|how|it|at|in|a|an|my|your|with|late|every|all|abroad|alone|about|best|better|from|to|too|and|online|english grammar|these|what|while|remotely|part|full)\b/i.test(
          value,
        )
      )
        return null
      if (/^I read\b/i.test(text)) return null
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
      if (
        / (?:in|of) (?:procrastination|sarcasm|overthinking|nap(?:s|ping)|sleep(?:ing)?|life|nonsense|common sense|laziness|bullshit|being|doing|making|google|googling|memes|netflix|awkwardness|complaining|worrying|chaos|bad|hard knocks)\b/i.test(
          value,
        )
      )
        return null
      if (!/ (?:in|of) /.test(value) && school === undefined && !/^(?:phd|mba)/i.test(value)) return null
      return {
        attribute: 'education',
        value: school === undefined ? value : `${value} from ${school.replace(/[.,].*$/, '')}`,
        says: /^[aeio]|^mba|^msc|^ma\b/i.test(value) ? '{who} has an {value}' : '{who} has a {value}',
      }
    },
  },
  {
    pattern: /^I (?:graduated|have graduated|got my degree) (?:in [\p{L} ]{3,30} )?from (?<rest>\p{Lu}.+)$/iu,
    read({ rest = '' }) {
      const found = readPlace(rest)
      return found === null
        ? null
        : { attribute: 'education', value: found.value, says: '{who} graduated from {value}' }
    },
  },
]

import type { Clause, Reading } from '../rule-language.ts'
import { employerOf, isEstablishment } from './employers.ts'
import { isField } from './fields.ts'
import { isSubject } from './kinds-of-things.ts'
import { upTo } from './values.ts'

const professions =
  'nurse|doctor|teacher|schoolteacher|engineer|developer|dev|programmer|designer|architect|lawyer|attorney|solicitor|barrister|accountant|analyst|scientist|researcher|professor|lecturer|(?:qa|test|design|data|product|engineering|project|support|research) lead|tutor|writer|author|journalist|editor|translator|interpreter|photographer|artist|illustrator|musician|singer|actor|actress|dancer|chef|cook|baker|barista|waiter|waitress|bartender|butcher|farmer|gardener|florist|carpenter|plumber|electrician|mechanic|welder|builder|roofer|painter|driver|pilot|steward|stewardess|flight attendant|paramedic|firefighter|police officer|policeman|policewoman|cop|soldier|veteran|detective|judge|paralegal|secretary|receptionist|administrator|admin|clerk|cashier|salesman|saleswoman|salesperson|sales rep|estate agent|realtor|broker|banker|trader|economist|consultant|manager|director|executive|ceo|cto|cfo|coo|founder|co-founder|cofounder|entrepreneur|freelancer|contractor|recruiter|marketer|copywriter|strategist|planner|coordinator|supervisor|foreman|librarian|archivist|curator|historian|philosopher|psychologist|psychiatrist|therapist|physiotherapist|physio|counsellor|counselor|social worker|caregiver|carer|nanny|au pair|midwife|miner|dentist|hygienist|surgeon|physician|gp|vet|veterinarian|pharmacist|radiologist|cardiologist|paediatrician|pediatrician|optician|optometrist|chemist|biologist|physicist|mathematician|statistician|geologist|astronomer|data scientist|technician|operator|tester|sysadmin|devops engineer|sre|product owner|scrum master|civil servant|diplomat|politician|priest|pastor|imam|rabbi|monk|nun|coach|personal trainer|athlete|footballer|referee|hairdresser|barber|beautician|stylist|tailor|seamstress|jeweller|watchmaker|potter|cleaner|janitor|housekeeper|caretaker|security guard|postman|courier|lorry driver|trucker|taxi driver|train driver|sailor|fisherman|lifeguard|surveyor|quantity surveyor|auditor|actuary|underwriter|bookkeeper|postdoc|teaching assistant|headteacher|principal|zookeeper|beekeeper|winemaker|brewer|undertaker|locksmith|intern|apprentice|trainee|stay-at-home mom|stay-at-home mum|stay-at-home dad|homemaker|housewife|student|pensioner|streamer|youtuber|blogger|podcaster|producer|filmmaker|animator|composer|conductor|violinist|pianist|dj|sommelier|bus driver|dietitian|nutritionist|toxicologist|linguist|archaeologist|anthropologist|sociologist|neurologist|anaesthetist|anesthesiologist|dermatologist|oncologist|instructor|team lead|tech lead|engineering lead'
/** As a part of a sentence: up to four words, the last of them a line of work. */
export const profession = new RegExp(
  String.raw`^(?:an? )?(?<value>(?:[\p{L}/&+#.-]+ ){0,4}?(?:${professions})(?: (?:${professions}))?(?:/[\p{L}-]+)?)(?![\p{L}'-])(?<rest>.*)$`,
  'iu',
)
export const noJob =
  /\b(?:to|and|promoted|others|bad|good|great|terrible|horrible|lousy|decent|huge|big|keen|fan|better|worst|best|amateur|hobby|aspiring|wannabe|would-be|former|ex|retired|once|kind|sort|bit|home|morning|slow|fast|quick|careful|visual|frequent|nervous|confident|safe|backseat|passionate|fussy|lifelong|not|no|real|natural|born|self-confessed|slow|mediocre|novice|beginner|non|future|the|my|your|his|her|armchair|keyboard|people|designated|proud|mere|little|solo|occasional|weekend|dinner|midnight|household|family's|unofficial|unpaid|self-appointed|self-proclaimed|secret|recovering|mental|emotional|moral|accidental|permanent|eternal|perpetual|chronic|serial|compulsive|obsessive|snack|nap|napping|sleep|pizza|cake|chocolate|biscuit|netflix|meme|chaos|excuse|gossip|cuddle|toast|fridge|complaint|worry|panic|sock|mystery|up|in|on|still|gone|nothing|everything|joke|nightmare|dream|glorified|tea maker)\b/i

/** What anybody is now and then: a line of work only by itself or beside a word of work, `a wedding photographer`, no `shower singer`. */
const everyday =
  /(?<before>(?:^|.* ))(?:cook|baker|driver|dancer|singer|writer|author|gardener|painter|actor|actress|artist|photographer|musician|builder|detective|judge|philosopher|planner|cleaner|soldier|composer|poet|sailor|trader|producer|historian|secretary|dj|blogger|streamer|youtuber|podcaster)$/i
const workWords =
  /^(?:\d\w*|freelance|professional|full-time|part-time|self-employed|retired|junior|senior|lead|head|chief|principal|deputy|assistant|staff|session|studio|executive|associate|trainee|apprentice|opera|jazz|classical|concert|choir|folk|pop|rock|backing|orchestral|wedding|portrait|landscape|news|press|fashion|food|wildlife|sports?|product|property|event|documentary|commercial|concept|tattoo|make-?up|visual|digital|graphic|fine|3d|game|games|video|comic|storyboard|technical|ux|copy|content|science|medical|legal|travel|grant|script|screen|song|speech|fiction|crime|children's|feature|bus|coach|taxi|cab|truck|lorry|van|tram|train|ambulance|delivery|forklift|crane|school|uber|lyft|hgv|minicab|racing|long-haul|long-distance|ballet|contemporary|ballroom|tango|flamenco|pastry|line|ship's|army|hospital|hotel|restaurant|house|car|window|office|industrial|organic|urban|town|city|wedding|financial|media|production|demand|supply|transport|boat|ship|furniture|instrument|guitar|bridge|homicide|private|police|district|high|county|federal|family|court|criminal|infantry|merchant|music|film|tv|radio|theatre|stage|voice|art|military|social|currency|stock|options|energy|commodities|day|mural|sign|portrait|icon|spray|fantasy|romance|and|&)$/iu
const certified =
  /^(?:certified|licensed|qualified|trained|registered|chartered|accredited|experienced|seasoned|skilled|award-winning|published|touring|jobbing|working)$/i

/** `glorified`, `reluctant`, `self-taught`: how somebody does it. */
const manner =
  /^(?!certified|licensed|qualified|trained|registered|chartered|speciali[sz]ed|retired|self-employed|embedded|distributed|limited|advanced|integrated|applied|accredited|experienced|seasoned|skilled|award|autonomous|religious|renewable|sustainable|wireless|serverless|(?:engl|span|pol|dan|ir|turk|swed|finn|brit|scott|jew|flem)ish)(?:\p{Ll}[\p{L}-]*(?:(?<!e)ed|ous|ful|less|ish|iastic|[ai]ble)|self-[\p{L}]+|reluctant|arrogant|closet|shower|couch|backyard|basement|bathroom|bedroom|garage|pub|human|walking|living|wandering|struggling|failing|starving|happy|lazy|angry|grumpy|lucky|crazy|clumsy|bloody|filthy|mighty|tiny)$/u

function isMannerOfSpeech(value: string): boolean {
  const { before } = everyday.exec(value)?.groups ?? {}
  const words = value.split(/[ /]/)
  if (words.slice(0, -1).some((word) => manner.test(word))) return true
  return (
    before
      ?.trim()
      .split(/[ /]/)
      .some((word) => word !== '' && !/^\p{Lu}/u.test(word) && !workWords.test(word) && !certified.test(word)) === true
  )
}

/** `a manager of chaos`, but `head of operations`. */
const ofSomething =
  /^of (?!\p{Lu}|an? \p{L}+ (?:company|firm|team|shop|department|school|bank|charity|bakery|restaurant)|\d)/u
const ofTheTrade =
  /^of (?:operations|sales|marketing|engineering|finance|product|research|design|procurement|people|hr|it|studies|education|communications|history|physics|maths|law|medicine|philosophy|economics|psychology|chemistry|biology|music|english|german|french|spanish)\b/i

const placesOfWork =
  /^(?:an?|the|our|my|one of|various) (?:[\p{L}'-]+ ){0,3}(?:city|town|village|county|country|state|region|area|sector|industry|field|department|ward|unit|team|emergency room|er|icu|north|south|east|west|business|kitchen|office|suburbs?|countryside)\b|^my (?:early |mid |late )?(?:twenties|thirties|forties|fifties|sixties|seventies|\d0s)\b/iu
const games =
  /^(?:Flight|Minecraft|Skyrim|Elden|World of|Grand Theft|Second Life|The Sims|Roblox|Fortnite|Stardew)|\bSimulator\b/

/** `a detective in this chat`, `a pilot in Flight Simulator`, `a doctor, not a magician`: no line of work in earnest. */
function isFarFetched(after: string): boolean {
  const where = /^in (?<where>.+)$/.exec(after)?.groups?.where
  if (where !== undefined) {
    if (/^(?:the )?[\p{Lu}\d]/u.test(where)) return games.test(where)
    const named = upTo(where, 4)?.value ?? ''
    return !placesOfWork.test(where) && !isEstablishment(named) && !isField(named) && !isSubject(named)
  }
  const denied = /^,? (?:and )?not an? (?<what>.+)$/i.exec(after)?.groups?.what
  return denied !== undefined && !profession.test(denied)
}

/** A line of work and where, from `a nurse at St. Mary's`. */
export function work(rest: string, clause: Clause, any: boolean): readonly Reading[] | null {
  const match = profession.exec(rest)
  let value: string
  let after: string
  if (match !== null) {
    value = match.groups!.value!
    after = match.groups!.rest!.trim()
    if (
      noJob.test(value.replace(/^stay-at-home /i, '')) ||
      isMannerOfSpeech(value) ||
      (ofSomething.test(after) && !ofTheTrade.test(after)) ||
      /^(?:of (?:the|my|life|my own)|by (?:heart|nature)|in training|for (?:a|one) day|of mine|who|than|at heart|when it)/i.test(
        after,
      )
    )
      return null
    if (isFarFetched(after)) return null
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

import type { Clause, Reading } from '../rule-language.ts'
import { isHarmless, upTo } from './values.ts'

const noEmployer =
  /^(?:home|night|nights|least|times|all|my|the moment|present|weekends?|once|last|first|day|days|odd|sea|height|scale|speed|pace|it|this|that|these|those|them|him|her|us|you|me|myself|a living|free|money|peanuts|pay|fun|hire|now|years?|months?|two|three|four|five|six|seven|eight|nine|ten|\d.*|a (?:long|few|while|couple|year|month|week|bit|better|good|decent|different|new|client|customer|friend|living|desk|computer|laptop|café|cafe|client's|reason)|an (?:hour|evening|early)|the (?:same|moment|time|weekend|weekends|computer|office|desk|company|team|project|best|next|last|past|first|man|most|money|people|future|other)|monday.*|christmas|someone|somebody|people|clients|customers|both|several|various|many|different|work)\b/i

/** `a small charity called Brightside`. */
export const calledSo =
  /^(?:a|an|the|this) (?:[\p{L}-]+ ){0,3}(?:charity|company|start-?up|firm|law firm|agency|studio|bank|school|ngo|NGO|nonprofit|non-profit|consultancy|bakery|hospital|clinic|shop|business|organi[sz]ation|practice|publisher|restaurant|hotel) (?:called|named) (?=\p{Lu})/u

/** `a bakery`, `the local hospital`: one works at the kitchen table too. */
const establishment =
  /^(?:a|an|the) (?:[\p{L}'-]+ ){0,3}(?:compan(?:y|ies)|corporation|conglomerate|multinational|business|firm|start-?up|scale-?up|fintech|biotech|agency|bank|credit union|insurer|insurance|hospital|clinic|hospice|surgery|practice|pharmacy|chemist'?s|school|kindergarten|nursery|preschool|daycare|creche|academy|university|college|institute|institution|lab|laboratory|library|archive|museum|gallery|[\p{L}]*shop|[\p{L}]*store|supermarket|market|boutique|retailer|bakery|patisserie|butcher'?s|butchery|florist'?s?|café|cafe|coffee house|restaurant|pizzeria|bistro|diner|bar|pub|brewery|winery|vineyard|distillery|hotel|hostel|resort|spa|casino|gym|salon|barber'?s|factory|plant|mill|refinery|foundry|mine|quarry|warehouse|depot|shipyard|port|airport|airline|railways?|station|farm|dairy|orchard|ranch|zoo|aquarium|theatre|theater|cinema|orchestra|opera|church|parish|mosque|synagogue|charity|ngo|NGO|non-?profit|foundation|association|society|union|party|federation|club|studio|[\p{L}]*house|publisher|newspaper|magazine|broadcaster|garage|workshop|dealership|council|ministry|court|prison|police|army|navy|military|government|state|city|county|municipality|parliament|embassy|consulate|commission|authority|office|post office|fire department|department|consultancy|manufacturer|distributor|provider|supplier|contractor|developer|shelter|sanctuary|care home|nursing home|call cent(?:er|re)|data cent(?:er|re)|cent(?:er|re)|cooperative|co-op|utility|carmaker|chain|franchise|broker|brokerage|fund|hedge fund|stables|theme park|park|canteen)(?: of (?:the )?\p{Lu}[\p{L}-]+)?$/u

export const isEstablishment = (value: string): boolean => establishment.test(value)

/** `the Danish tax office`: the name goes on in small letters. */
const institutionBehind =
  /^the \p{Lu}[\p{L}-]+ (?:\p{Ll}[\p{L}-]+ ){0,2}(?:office|ministry|agency|authority|army|navy|police|council|embassy|bank|railways?|government|parliament|post|museum|library|university|hospital|court)(?=$|[ ,.;!])/u

/** The name of who one works for. */
export function employerOf(given: string, { lowerCase }: Clause): string | null {
  const text = given.replace(calledSo, '')
  if (noEmployer.test(text)) return null
  const proper =
    /^(?:the )?(?:\p{Lu}|\d)[\p{L}\p{N}\p{M}'.&/+-]*(?: (?:(?:of|and|&|for|de|the|at) ){0,2}(?:\p{Lu}[\p{L}\p{N}\p{M}'.&/+-]*|\d+\b(?! (?:years?|months?|weeks?|days?)\b)))*/u.exec(
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
  if (/^(?:a|an|the) /i.test(found.value)) return isEstablishment(found.value) ? found.value : null
  return lowerCase && !found.value.includes(' ') && found.value.length > 2 ? found.value : null
}

export const employer = (text: string, clause: Clause, more: Partial<Reading> = {}): Reading | null => {
  const value = employerOf(text, clause)
  return value === null ? null : { attribute: 'employer', value, ...more }
}

import { madeOnce } from '../../../model/index.ts'
import type { RuleLanguage } from '../rule-language.ts'
import { answers } from './answers.ts'
import { attributes } from './attributes.ts'
import { changeRules } from './changes.ts'
import { clauses, expand, stripLeadIns } from './clauses.ts'
import { game, isGreeting, isOwnLabel, setAside, setAsideAfter, takenBack, unsure } from './gates.ts'
import { habitRules } from './health-and-habits.ts'
import { nameRules } from './names.ts'
import { statusRules } from './people.ts'
import { placeRules } from './places.ts'
import { birthdayRules, inThirdPerson, planRules } from './plans.ts'
import { onlyPlausible } from './plausible.ts'
import { aboutSomebody, mentions, relationRules } from './relations.ts'
import { languageRules } from './spoken-languages.ts'
import { tasteRules } from './tastes.ts'
import { thingRules } from './things.ts'
import { upTo } from './values.ts'
import { wishRules } from './wishes.ts'
import { workRules } from './work.ts'

const correction =
  /^(?:it is|i meant|i mean|make that|that should be|it should be|it should have been|should be|that is) (?:actually |now |really )?(?<value>.+?)(?:,? (?:not|rather than|instead of) (?<old>.+?))?$/i

const diets = /^(?:vegan|vegetarian|pescatarian|pescetarian|flexitarian|omnivore|halal|kosher|keto|paleo)$/i

const weekday = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/

const noThing =
  /^(?:fine|ok|okay|good|great|bad|true|false|not|no|a|an|the|nothing|just|all|really|too|so|very|sorry|wrong|right|over|hard|easy|impossible|possible|like|you|me|my|your|his|her|their|this|that|what|how|why|late|early|time|up|done|working|broken|cool|nice|funny|weird|complicated|different|more|less|better|worse|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|(?:ing|ly|ed)$/i

function corrects(sentence: string): ReturnType<RuleLanguage['corrects']> {
  const bare = sentence.replace(/[.!]+$/, '')
  const begins =
    /^(?:no|nope|sorry|wait|oops|actually|correction|oh|hmm|typo|my bad|my mistake|i meant|i mean|make that)\b/i.test(
      bare,
    )
  const match = correction.exec(
    stripLeadIns(bare.replace(/^(?:wait|oops|correction|typo|my bad|my mistake)[\s,:.-]*/i, '')).replace(
      /^(?:wait|oops)[\s,:.-]*/i,
      '',
    ),
  )
  if (match === null || /\?\s*$/.test(sentence)) return null
  const { value = '', old } = match.groups!
  if (!begins && old === undefined) return null
  const read = upTo(value, 4)
  if (read === null || read.rest !== '') return null
  const named = /^\p{Lu}/u.test(read.value)
  if (named && weekday.test(read.value)) return null
  if (!named && (!begins || read.value.split(' ').length > 2 || noThing.test(read.value))) return null
  const attributes = named ? undefined : diets.test(read.value) ? /^(?:favorite\.|diet$)/ : /^favorite\./
  return { value: read.value, attributes, old: old === undefined ? undefined : old.replace(/[.!]+$/, '') }
}

/** Chosen by looking at `bench/data/rules-dev.jsonl`, measured on the files beside it; see bench/README.md. */
export const english: RuleLanguage = {
  language: 'en',
  attributes,
  speaker: 'The user',
  possessive: (who) => (who === 'The user' || !/s$/i.test(who) ? `${who}'s` : `${who}'`),
  inThirdPerson,
  setAside,
  setAsideAfter,
  game,
  takenBack,
  isOwnLabel,
  isGreeting,
  expand,
  unsure,
  clauses,
  aboutSomebody,
  mentions,
  answers,
  rules: madeOnce(() => [
    ...nameRules(),
    ...relationRules(),
    ...statusRules(),
    ...birthdayRules(),
    ...wishRules(),
    ...[...habitRules(), ...planRules(), ...tasteRules()].map(onlyPlausible),
    ...languageRules(),
    ...[...changeRules(), ...thingRules()].map(onlyPlausible),
    ...placeRules(),
    ...workRules(),
  ]),
  corrects,
}

import type { AttributeWords } from '../rule-language.ts'

const relation = (name: string, single = false): AttributeWords => ({
  says: `{whose} ${name} is {value}`,
  ended: `{whose} ${name} is no longer {value}`,
  person: true,
  single,
})

/** Of whom there is one at a time. */
export const singleRelations = ['husband', 'wife', 'partner', 'fiancé', 'fiancée', 'mother', 'father']
export const otherRelations =
  `girlfriend boyfriend sister brother twin son daughter child baby grandmother grandfather grandson granddaughter
aunt uncle cousin niece nephew mother-in-law father-in-law sister-in-law brother-in-law daughter-in-law son-in-law stepmother stepfather stepson stepdaughter
stepsister stepbrother friend best-friend boss manager colleague roommate flatmate housemate neighbour neighbor mentor therapist
teacher trainer coach assistant landlord landlady ex ex-husband ex-wife`.split(/\s+/)

/** What rules learn in English, and how it is told. */
export const attributes: Readonly<Record<string, AttributeWords>> = {
  name: { says: '{whose} name is {value}', ended: '{whose} name is no longer {value}', single: true },
  nickname: {
    says: '{who} wants to be called {value}',
    ended: '{who} no longer wants to be called {value}',
    single: true,
  },
  pronouns: { says: '{whose} pronouns are {value}', ended: '{whose} pronouns are no longer {value}', single: true },
  home: { says: '{who} lives in {value}', ended: '{who} no longer lives in {value}', single: true },
  origin: { says: '{who} is from {value}', ended: '{who} is not from {value}', single: true },
  birthplace: { says: '{who} was born in {value}', ended: '{who} was not born in {value}', single: true },
  nationality: { says: '{who} is {value}', ended: '{who} is no longer {value}' },
  job: { says: '{who} works as {value}', ended: '{who} no longer works as {value}', single: true },
  employer: { says: '{who} works at {value}', ended: '{who} no longer works at {value}', single: true },
  field: { says: '{who} works in {value}', ended: '{who} no longer works in {value}', single: true },
  study: { says: '{who} studies {value}', ended: '{who} no longer studies {value}', single: true },
  school: { says: '{who} is a student at {value}', ended: '{who} is no longer a student at {value}', single: true },
  education: { says: '{who} has {value}', ended: '{who} does not have {value}' },
  likes: { says: '{who} likes {value}', ended: '{who} no longer likes {value}' },
  dislikes: { says: '{who} dislikes {value}', ended: '{who} no longer dislikes {value}' },
  prefers: { says: '{who} prefers {value}', ended: '{who} no longer prefers {value}' },
  favorite: {
    says: '{whose} favorite {what} is {value}',
    ended: '{whose} favorite {what} is no longer {value}',
    single: true,
  },
  allergy: { says: '{who} is allergic to {value}', ended: '{who} is no longer allergic to {value}' },
  diet: { says: '{who} is {value}', ended: '{who} is no longer {value}', single: true },
  avoids: { says: '{who} does not eat or drink {value}', ended: '{who} no longer avoids {value}' },
  health: { says: '{who} has {value}', ended: '{who} no longer has {value}' },
  language: { says: '{who} speaks {value}', ended: '{who} no longer speaks {value}' },
  learning: { says: '{who} is learning {value}', ended: '{who} is no longer learning {value}' },
  relationship: { says: '{who} is {value}', ended: '{who} is no longer {value}', single: true },
  children: { says: '{who} has {value}', ended: '{who} does not have {value}', single: true },
  siblings: { says: '{who} has {value}', ended: '{who} does not have {value}' },
  pet: { says: '{who} has a pet called {value}', ended: '{who} no longer has {value}' },
  birthday: { says: '{whose} birthday is {value}', ended: '{whose} birthday is not {value}', single: true },
  birthyear: { says: '{who} was born in {value}', ended: '{who} was not born in {value}', single: true },
  age: { says: '{who} is {value} years old', ended: '{who} is no longer {value} years old', single: true },
  owns: { says: '{who} has {value}', ended: '{who} no longer has {value}' },
  uses: { says: '{who} uses {value}', ended: '{who} no longer uses {value}' },
  plays: { says: '{who} plays {value}', ended: '{who} no longer plays {value}' },
  habit: { says: '{who} has a habit: {value}', ended: '{who} no longer has the habit of {value}' },
  goal: { says: '{whose} goal is {value}', ended: '{whose} goal is no longer {value}' },
  plan: { says: '{who} has a plan: {value}', ended: '{who} no longer plans {value}', happens: true },
  instruction: {
    says: '{who} asks the assistant: "{value}"',
    ended: '{who} no longer asks the assistant: "{value}"',
    verbatim: true,
  },
  units: { says: '{who} wants {value}', ended: '{who} no longer wants {value}', single: true },
  timezone: { says: '{whose} time zone is {value}', ended: '{whose} time zone is no longer {value}', single: true },
  email: {
    says: '{whose} e-mail address is {value}',
    ended: '{whose} e-mail address is no longer {value}',
    single: true,
  },
  phone: { says: '{whose} phone number is {value}', ended: '{whose} phone number is no longer {value}', single: true },
  address: { says: '{whose} address is {value}', ended: '{whose} address is no longer {value}', single: true },
  ...Object.fromEntries(singleRelations.map((name) => [name, relation(name, true)])),
  ...Object.fromEntries(otherRelations.map((name) => [name, relation(name.replace('best-friend', 'best friend'))])),
}

/**
 * The names that a label may use for an attribute, and what rules call it. A label matches a fact under any of the names behind it:
 * whether a hobby is liked or played is not what is measured.
 */
const liking = ['likes', 'prefers', 'favorite', 'plays', 'uses', 'habit']
const people =
  'husband wife partner fiancé fiancée mother father girlfriend boyfriend sister brother twin son daughter child baby grandmother grandfather grandson granddaughter aunt uncle cousin niece nephew mother-in-law father-in-law sister-in-law brother-in-law daughter-in-law son-in-law stepmother stepfather stepson stepdaughter stepsister stepbrother friend best-friend boss manager colleague roommate flatmate housemate neighbour neighbor mentor therapist teacher trainer coach assistant landlord landlady ex ex-husband ex-wife'.split(
    ' ',
  )
const spouses = ['husband', 'wife', 'partner', 'fiancé', 'fiancée', 'girlfriend', 'boyfriend']
const children = ['son', 'daughter', 'child', 'baby', 'children']

const named: readonly (readonly [names: string, attributes: readonly string[]])[] = [
  ['name', ['name', 'nickname']],
  ['nickname preferred_name called', ['nickname', 'name']],
  ['pronouns', ['pronouns']],
  ['home lives_in location city residence address_city lives', ['home']],
  ['origin from hometown born_in birthplace grew_up', ['origin', 'birthplace', 'home']],
  ['nationality citizenship', ['nationality', 'origin']],
  ['job occupation profession role job_title title works_as field industry', ['job', 'field']],
  ['employer company works_at works_for workplace', ['employer']],
  ['study studies major field_of_study', ['study', 'learning', 'education']],
  ['school university college', ['school', 'study', 'education']],
  ['education degree', ['education', 'study', 'school']],
  ['likes loves enjoys hobby hobbies interest interests passion', liking],
  ['prefers preference', ['prefers', 'likes', 'favorite', 'units', 'instruction', 'uses']],
  ['favorite', ['favorite', 'likes', 'prefers']],
  ['plays', ['plays', 'likes', 'habit']],
  ['dislikes hates', ['dislikes', 'avoids']],
  ['allergy allergic_to allergies', ['allergy', 'health']],
  ['diet', ['diet', 'avoids', 'health']],
  ['avoids does_not_eat does_not_drink', ['avoids', 'diet', 'dislikes']],
  ['health condition medical medication disability', ['health', 'allergy', 'diet']],
  ['language speaks languages', ['language']],
  ['learning', ['learning', 'study', 'goal']],
  ['relationship marital_status relationship_status', ['relationship', ...spouses]],
  ['spouse', [...spouses, 'relationship']],
  ['children kids', children],
  ['twin', ['twin', 'sister', 'brother']],
  ['siblings sibling', ['siblings', 'sister', 'brother', 'twin']],
  ['parent parents', ['mother', 'father']],
  ['relation family', [...people, 'children', 'siblings', 'relationship']],
  ['pet pets dog cat', ['pet']],
  ['birthday birthdate date_of_birth birth_year birthyear', ['birthday', 'birthyear']],
  ['age', ['age']],
  ['owns possession car vehicle has', ['owns', 'uses', 'pet']],
  ['uses tool device', ['uses', 'owns', 'likes', 'prefers']],
  ['habit habits routine', ['habit', 'plays', 'likes', 'avoids']],
  ['goal goals wants', ['goal', 'learning']],
  ['plan event appointment trip date', ['plan']],
  ['instruction instructions rule', ['instruction', 'units', 'prefers']],
  ['units', ['units', 'instruction', 'prefers']],
  ['timezone time_zone', ['timezone']],
  ['email e-mail', ['email']],
  ['phone phone_number', ['phone']],
  ['address', ['address', 'home']],
  ['contact', ['email', 'phone', 'address']],
]

const table = new Map<string, readonly string[]>([
  ...people.map((name) => [name, synonymsOf(name)] as const),
  ...named.flatMap(([names, attributes]) => names.split(' ').map((name) => [name, attributes] as const)),
])

function synonymsOf(name: string): readonly string[] {
  if (spouses.includes(name)) return [name, 'partner', 'relationship', ...(name === 'partner' ? spouses : [])]
  if (children.includes(name)) return [name, 'child', 'children']
  return name === 'friend' ? [name, 'best-friend'] : [name]
}

/** Names of attributes that a label can have, and `favorite.…`. */
export const attributeNames: readonly string[] = [...table.keys()]

/** `user.homeTown`, `Home town` and `home_town` are the same name. */
function plainName(name: string): string {
  return name
    .replace(/^user[._]/i, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .trim()
    .replace(/[\s.]+/g, '_')
    .replace(/favourite/g, 'favorite')
    .replace(/colour/g, 'color')
    .replace(/^fiance(e?)$/, 'fiancé$1')
    .replace(/^(?:mom|mum)$/, 'mother')
    .replace(/^dad$/, 'father')
}

/** What rules may call it; null for a name that is not in the table. */
export function attributesOf(label: string): readonly string[] | null {
  const name = plainName(label)
  if (/^favorite(?:_|$)/.test(name)) return ['favorite', 'likes', 'prefers']
  return table.get(name) ?? table.get(name.replaceAll('_', '')) ?? table.get(name.replaceAll('_', '-')) ?? null
}

import { describe, expect, it } from 'vitest'
import { staticEn256 } from '../embedders/index.ts'
import { cosine } from '../vector/index.ts'
import { isEcho } from './echo.ts'

// What assistants and tools make of a memory, and what they say about the same things that is new. The constants were chosen on the
// first two lists; the others were written afterwards and nothing was changed for them.

const echoes: readonly (readonly [known: string, said: string])[] = [
  ['The user lives in Bonn', 'You live in Bonn.'],
  ['Ann lives in Bonn', 'As far as I know, you are living in Bonn.'],
  ['Ann lives in Bonn', 'I remember that your home is in Bonn.'],
  ['Ann lives in Bonn', 'According to my memory, Ann lives in Bonn.'],
  ['Ann lives in Bonn', 'Since you live in Bonn, the tram is quickest.'],
  ['Ann is allergic to hazelnuts', 'You mentioned that you are allergic to hazelnuts.'],
  ['Ann is allergic to hazelnuts', 'Because of your hazelnut allergy, I left out the praline.'],
  ['Ann is allergic to hazelnuts', 'Remember that hazelnuts are not safe for you because of your allergy.'],
  ['Ann plays the cello', 'You told me you play the cello.'],
  ['Ann plays the cello', 'I know you are a cello player.'],
  ["Ann's sister is called Eva", 'Your sister Eva'],
  ["Ann's sister is called Eva", "Your sister's name is Eva."],
  ['Ann works as a nurse at the Charité in Berlin', 'You work at the Charité in Berlin as a nurse.'],
  ['Ann works as a nurse at the Charité in Berlin', 'As a nurse at the Charité you often have night shifts.'],
  ['Ann prefers tea to coffee', 'I recall that you prefer tea over coffee.'],
  ['Ann prefers tea to coffee', 'You like tea better than coffee.'],
  ['Ann has a dog named Rex', 'Your dog is named Rex.'],
  ['Ann has a dog named Rex', 'You have a dog called Rex, right?'],
  ['Ann flies to Rome on 3 June 2026', 'You are flying to Rome on 3 June.'],
  ['Ann flies to Rome on 3 June 2026', 'Your flight to Rome is on June 3, 2026.'],
  ["Ann's favourite colour is blue", 'Your favorite color is blue, as you said before.'],
  ['Ann is vegetarian', 'Noted: you are a vegetarian.'],
  ['Ann moved to Bremen in May 2026', "You moved to Bremen in May 2026, didn't you?"],
  ['Ann moved to Bremen in May 2026', 'In May you moved to Bremen.'],
  ['Ann wants to learn Italian before the trip to Rome', 'You wanted to learn Italian before your trip to Rome.'],
  ["The user's birthday is 12 March", 'Your birthday is on March 12.'],
  [
    'We moved to Bremen on Saturday, to a flat above a bakery',
    'You moved to Bremen on Saturday, into a flat above a bakery.',
  ],
  [
    'The deploy script lives in tools/deploy.sh and needs Node 20',
    'The deploy script is in tools/deploy.sh and needs Node 20.',
  ],
  ["Ann's husband Tom works for Siemens", 'Your husband Tom works at Siemens.'],
  ['Ann takes ibuprofen for her migraine', 'You take ibuprofen for your migraine.'],
  ['Ann takes ibuprofen for her migraine', 'For your migraines you use ibuprofen.'],
  ['The meeting with Dupont is on Friday at 3 pm', 'Your meeting with Dupont is Friday at 3 pm.'],
  ["Ann's phone number is 0151 234567", 'Your number is 0151 234567.'],
  ['Ann studies physics in Heidelberg', 'You study physics at Heidelberg.'],
  ["Ann doesn't eat pork", 'You do not eat pork.'],
  ['Ann likes hiking in the Alps', 'Result: user likes hiking in the Alps'],
  ['Ann likes hiking in the Alps', 'memory: Ann likes hiking in the Alps (score 0.82)'],
  ['Ann owns a red Volvo from 1998', 'Your red 1998 Volvo'],
  ['Ann is training for the Berlin marathon in September', 'You are training for the Berlin marathon this September.'],
  ['Ann lives with her grandmother in Bonn', 'You and your grandmother live together in Bonn.'],
]

const news: readonly (readonly [known: string, said: string])[] = [
  ['Ann lives in Bonn', 'The museum in Bonn is closed on Mondays.'],
  ['Ann lives in Bonn', 'Bonn was the capital of West Germany.'],
  ['Ann lives in Bonn', 'You live in Kiel.'],
  ['Ann lives in Bonn', 'Your parents live in Cologne.'],
  ['Ann lives in Bonn', 'You no longer live in Bonn.'],
  ['Ann lives in Bonn', 'Tom lives in Bonn.'],
  ['Ann is allergic to hazelnuts', 'Hazelnuts contain a lot of vitamin E.'],
  ['Ann is allergic to hazelnuts', 'Your son is allergic to peanuts.'],
  ['Ann is allergic to hazelnuts', 'I found a restaurant that serves a hazelnut cake.'],
  ['Ann plays the cello', 'The cello concert starts at eight in the town hall.'],
  ['Ann plays the cello', 'Your brother plays the violin.'],
  ['Ann plays the cello', 'A good cello bow costs about 300 euros.'],
  ["Ann's sister is called Eva", 'Eva arrives at noon with the train from Hamburg.'],
  ["Ann's sister is called Eva", 'Your sister moved to Sweden.'],
  ['Ann works as a nurse at the Charité in Berlin', 'The Charité is hiring doctors for its new ward.'],
  ['Ann works as a nurse at the Charité in Berlin', 'Your husband works at Siemens in Berlin.'],
  ['Ann prefers tea to coffee', 'Green tea should steep for two minutes.'],
  ['Ann prefers tea to coffee', 'You prefer coffee in the morning.'],
  ['Ann has a dog named Rex', 'Rex needs a new vaccination in April.'],
  ['Ann has a dog named Rex', 'You have a cat named Minka.'],
  ['Ann flies to Rome on 3 June 2026', 'The flight to Rome leaves at 7:40 from gate B12.'],
  ['Ann flies to Rome on 3 June 2026', 'You are flying to Rome on 5 June.'],
  ['Ann flies to Rome on 3 June 2026', 'I booked the Hotel Aurora in Rome for you.'],
  ["Ann's favourite colour is blue", 'Your favourite colour is green.'],
  ['Ann is vegetarian', 'The lasagne at Da Mario is vegetarian.'],
  ['Ann moved to Bremen in May 2026', 'The rent in Bremen rose by six percent in 2026.'],
  ['Ann moved to Bremen in May 2026', 'You moved to Rostock in June 2026.'],
  [
    'Ann wants to learn Italian before the trip to Rome',
    'The Italian course starts on Tuesday at the Volkshochschule.',
  ],
  ["The user's birthday is 12 March", "Your sister's birthday is 14 March."],
  ['We moved to Bremen on Saturday, to a flat above a bakery', 'The bakery opens at five in the morning.'],
  [
    'The deploy script lives in tools/deploy.sh and needs Node 20',
    'The deploy script failed because the token had expired.',
  ],
  ["Ann's husband Tom works for Siemens", 'Tom has an appointment at the dentist tomorrow.'],
  ['Ann takes ibuprofen for her migraine', 'Ibuprofen should not be taken with alcohol.'],
  ['The meeting with Dupont is on Friday at 3 pm', 'The meeting with Dupont was moved to Monday at 10 am.'],
  ["Ann's phone number is 0151 234567", 'Your new phone number is 0160 998877.'],
  ['Ann studies physics in Heidelberg', "Heidelberg's physics institute is on Philosophenweg."],
  ["Ann doesn't eat pork", 'You eat pork on Sundays.'],
  ['Ann likes hiking in the Alps', 'It snows in the Alps above 2000 metres tomorrow.'],
  ['Ann owns a red Volvo from 1998', 'The repair of the Volvo costs 900 euros.'],
  [
    'Ann is training for the Berlin marathon in September',
    'The registration for the Berlin marathon closes on 15 January.',
  ],
  ['Ann lives with her grandmother in Bonn', 'Your grandmother was born in Breslau in 1938.'],
]

const furtherEchoes: readonly (readonly [known: string, said: string])[] = [
  ["Bob's son Leo starts school in August", 'Your son Leo starts school in August.'],
  ['Bob is a freelance photographer', 'I see that you work as a freelance photographer.'],
  ['Bob is a freelance photographer', "You're a freelance photographer, aren't you?"],
  ['Bob hates cilantro', 'You told me that you hate cilantro.'],
  ["Bob's car insurance expires on 1 March 2027", 'Your car insurance expires on March 1, 2027.'],
  ['Bob rides his bike to work every day', 'You ride your bicycle to work daily.'],
  ["Bob's mother was born in Lyon", 'Your mother was born in Lyon.'],
  ['Bob supports SC Freiburg', 'As a reminder, you support SC Freiburg.'],
  ['Bob is writing a novel about the moon landing', 'You are writing a novel about the moon landing.'],
  [
    'Bob needs a wheelchair accessible room',
    'Because you need a wheelchair accessible room, filtering by accessibility.',
  ],
  ['Bob quit smoking in 2019', 'You quit smoking in 2019.'],
  ['Bob speaks German, French and a little Polish', 'You speak German, French and some Polish.'],
  ['The staging database is on port 5433', 'The staging database runs on port 5433.'],
  ["Bob's wife Carla is pregnant", 'Your wife Carla is expecting.'],
  ['Bob has an appointment with Dr. Stein on 9 July at 8:30', 'Your appointment with Dr. Stein is on 9 July at 8:30.'],
  ['Bob prefers window seats', 'You prefer a window seat.'],
  ['Bob prefers window seats', 'Preference: window seats'],
  ['Bob collects vinyl records from the seventies', 'You collect seventies vinyl records.'],
  ["Bob's team uses pnpm instead of npm", 'Your team uses pnpm rather than npm.'],
  ['Bob lost his passport in Madrid last week', 'Last week you lost your passport in Madrid.'],
]

const furtherNews: readonly (readonly [known: string, said: string])[] = [
  ["Bob's son Leo starts school in August", 'Leo will be in class 1b with Mrs. Brandt.'],
  ['Bob is a freelance photographer', 'A photographer charges about 600 euros for a wedding.'],
  ['Bob hates cilantro', 'The salsa at La Rosa contains cilantro.'],
  ["Bob's car insurance expires on 1 March 2027", 'Your home insurance expires on 1 May 2027.'],
  ['Bob rides his bike to work every day', 'Your bike needs a new chain.'],
  ["Bob's mother was born in Lyon", 'Your father was born in Lyon.'],
  ['Bob supports SC Freiburg', 'SC Freiburg won two to one against Mainz.'],
  ['Bob is writing a novel about the moon landing', 'The moon landing took place in July 1969.'],
  ['Bob needs a wheelchair accessible room', 'Room 12 is wheelchair accessible.'],
  ['Bob quit smoking in 2019', 'You started smoking again.'],
  ['Bob speaks German, French and a little Polish', 'You speak German and Spanish.'],
  ['The staging database is on port 5433', 'The production database is on port 5432.'],
  ["Bob's wife Carla is pregnant", 'Your wife Carla is a lawyer.'],
  ['Bob has an appointment with Dr. Stein on 9 July at 8:30', "Dr. Stein's practice is closed on 9 July."],
  ['Bob prefers window seats', 'I booked a window seat for you.'],
  ['Bob prefers window seats', 'You prefer aisle seats.'],
  ['Bob collects vinyl records from the seventies', 'The record fair in Utrecht takes place in November.'],
  ["Bob's team uses pnpm instead of npm", 'The build fails because pnpm is missing on the server.'],
  ['Bob lost his passport in Madrid last week', 'The consulate in Madrid issues a new passport within three days.'],
  ['Bob lost his passport in Madrid last week', 'Your passport was found in Madrid.'],
]

async function found(pairs: readonly (readonly [string, string])[], withVectors: boolean): Promise<readonly string[]> {
  const embedder = staticEn256()
  const judged = await Promise.all(
    pairs.map(async ([known, said]) => {
      const [a, b] = await embedder.embed([known, said], { purpose: 'document' })
      return isEcho(said, known, withVectors && a && b ? cosine(a, b) : null) ? [said] : []
    }),
  )
  return judged.flat()
}

describe.each([
  ['with vectors', true],
  ['without vectors', false],
] as const)('what was recalled, said again in other words, %s', (_, withVectors) => {
  it('[GRD-6] is found: 33 of 40, and 18 of 20 that the rules were not made for', async () => {
    expect(await found(echoes, withVectors)).toHaveLength(33)
    expect(await found(furtherEchoes, withVectors)).toHaveLength(18)
  })

  it('[GRD-6] what says something new about the same is never taken for it', async () => {
    expect(await found(news, withVectors)).toEqual([])
    expect(await found(furtherNews, withVectors)).toEqual([])
  })
})

describe('isEcho', () => {
  it('[GRD-6] the same text is an echo of itself, in any case and with any marks', () => {
    for (const [known] of [...echoes, ...furtherEchoes]) {
      if (/^(?:I|We)\b/.test(known)) continue
      expect(isEcho(known, known, 1), known).toBe(true)
      expect(isEcho(`- ${known.toLowerCase()}!`, known, null), known).toBe(true)
    }
  })

  it('[GRD-6] the answer to a question that is remembered is news; what is said beside the question is not', () => {
    const answer = 'The museum in Bonn is open on Mondays.'
    expect(isEcho(answer, 'Is the museum in Bonn open on Mondays?', 0.9)).toBe(false)
    expect(isEcho(answer, 'The museum in Bonn is open on Mondays. Shall we go?', 0.9)).toBe(true)
    expect(isEcho('You live in Bonn.', 'I live in Bonn, is the museum there open?', null)).toBe(false)
  })

  it('[GRD-6] what tells nothing is an echo of nothing, and texts of any length are compared', () => {
    expect(isEcho('', 'Ann lives in Bonn', 1)).toBe(false)
    expect(isEcho('I know.', 'Ann lives in Bonn', 1)).toBe(false)
    expect(isEcho('...', '', 1)).toBe(false)
    const long = 'Ann walked from Bonn to Kiel. '.repeat(2000)
    expect(isEcho('You walked from Bonn to Kiel.', long, null)).toBe(true)
  })
})

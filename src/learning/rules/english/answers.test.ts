import { describe, expect, it } from 'vitest'
import { extractByRules } from '../extract-by-rules.ts'

const read = (...said: string[]) =>
  extractByRules(
    said.map((content, i) => ({ role: i % 2 === 0 ? 'assistant' : 'user', content })),
    { now: '2026-05-04T10:00:00Z' },
  )
const short = (...said: string[]) =>
  read(...said).map(({ effect, attribute, value }) => `${effect === 'ends' ? '-' : ''}${attribute}=${value}`)

describe('short answers to an assistant', () => {
  it.each([
    ['Where do you live?', 'Bonn.', 'home=Bonn'],
    ['Lovely! And where are you based?', 'In Bonn, since May', 'home=Bonn'],
    ["What's your name?", 'Ann', 'name=Ann'],
    ['May I ask your name?', 'Sure. Ann Lee.', 'name=Ann Lee'],
    ['Thanks. What do you do for a living?', 'carpenter', 'job=carpenter'],
    ['Are you allergic to anything?', 'Yes, peanuts', 'allergy=peanuts'],
    ['When is your birthday?', '3 May', 'birthday=3 May'],
    ['How old are you?', '61', 'age=61'],
    ["What's your favourite colour?", 'Blue.', 'favorite.color=Blue'],
    ['Where do you work?', 'At Siemens', 'employer=Siemens'],
  ])('[RUL-8] %s – %s', (question, answer, fact) => {
    expect(short(question, answer)).toEqual([fact])
  })

  it('[RUL-8] the fact is the answerer’s, from the words of the answer', () => {
    expect(read('Where do you live?', 'Bonn.')).toMatchObject([
      { content: 'The user lives in Bonn', key: 'user.home', evidence: [{ message: 1, quote: 'Bonn.' }] },
    ])
  })

  it.each([
    ['What is your name?', "What's yours?"],
    ['What is your name?', 'Not telling you'],
    ['What is your name?', 'Why'],
    ['Where do you live?', 'Somewhere.'],
    ['Where do you live?', 'It depends'],
    ['Where do you live?', 'With my parents.'],
    ['Where do you live?', 'On the third floor.'],
    ['Do you have any allergies?', 'None'],
    ['Are you allergic to anything?', 'No'],
    ['How old are you?', 'Old enough'],
    ['Do you live in Munich?', 'Bonn'],
    ['What city should the hero live in?', 'Bonn'],
    ['What is your job in the game?', 'Wizard'],
    ['The guard asks: "What is your name?"', 'Lancelot'],
    ['You meet a stranger on the road. What is your name?', 'Lancelot'],
    ['What is your name? And where do you live?', 'Bonn'],
    ['Where do you live? I can look up the weather.', 'Bonn'],
    ["What is your sister's job?", 'Carpenter'],
  ])('[RUL-8] %s – %s teaches nothing', (question, answer) => {
    expect(short(question, answer)).toEqual([])
  })

  it('[RUL-8] in a game, and after another message, nothing was answered', () => {
    expect(short('Hi!', "Let's play a game.", 'What is your name?', 'Lancelot')).toEqual([])
    expect(short('Where do you live?', 'Hm.', 'I can wait.', 'Bonn')).toEqual([])
  })
})

describe('what is over, and what only looks like a fact', () => {
  it.each([
    ['My late husband Frank did that.', '-husband=Frank'],
    ['My dog Rex passed away last week.', '-pet=Rex'],
    ['My former boss Karl rang.', '-boss=Karl'],
    ['I no longer use Evernote.', '-uses=Evernote'],
    ['They laid me off from Siemens on Friday.', '-employer=Siemens'],
  ])('[RUL-3] %s', (said, fact) => {
    expect(short('', said)).toEqual([fact])
  })

  it('[RUL-1] one who has died is still the mother', () => {
    expect(read('', 'My late mother Ruth baked.').map(({ content }) => content)).toEqual(["The user's mother was Ruth"])
  })

  it.each([
    ['I drive a school bus.', ['job=school bus driver']],
    ['I work nights as a porter at St. Mary’s.', ['job=porter', "employer=St. Mary's"]],
    ["I've got two cats, Tom and Kit.", ['pet=Tom', 'pet=Kit']],
    ['I am married and have one son.', ['relationship=married', 'children=one son']],
    ['I play goalkeeper.', []],
    ['My name is Mud after that.', []],
    ["I'm Sherlock when it comes to lost keys.", []],
    ['I prefer to pay by card today.', []],
    ["I'm the CEO of bad ideas.", []],
    ['I have a PhD in procrastination.', []],
  ])('[RUL-2] %s', (said, facts) => {
    expect(short('', said)).toEqual(facts)
  })

  it('[RUL-2] what follows the words that take something back is said', () => {
    expect(short('', "I'm 24.", 'Noted.', "Scratch that, I'm 42.")).toEqual(['age=42'])
    expect(short('', "I'm 24.", 'Noted.', 'Scratch that.')).toEqual([])
    expect(short('', 'My favorite food is ramen.', 'Yum.', "No, it's pizza.")).toEqual([
      'favorite.food=ramen',
      'favorite.food=pizza',
    ])
    expect(short('', "I'm a vegetarian.", 'Noted.', 'I meant vegan.')).toEqual(['diet=vegetarian', 'diet=vegan'])
    expect(short('', 'My favorite food is ramen.', 'Really?', "No, it's fine.")).toEqual(['favorite.food=ramen'])
  })
})

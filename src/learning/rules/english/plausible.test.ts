import { describe, expect, it } from 'vitest'
import { extractByRules } from '../extract-by-rules.ts'

const learnt = (content: string) =>
  extractByRules([{ role: 'user', content }], { now: '2026-05-04T10:00:00Z' }).map(
    ({ attribute, value }) => `${attribute}=${value}`,
  )

describe('what looks like a fact and is none', () => {
  it.each([
    'My hobbies include cancelling plans and regretting emails.',
    'Yes, because I simply adore filling in tax forms.',
    'I run on caffeine and deadlines every single day.',
    'My goal this year is to finish one single tube of lip balm.',
    'My favourite sport is napping.',
    'I enjoy long walks to the fridge.',
    "I'm a qualified nap consultant.",
    "I'm married with two spreadsheets.",
    "I'd call my daughter Ines.",
    'I like to think I am funny.',
    'I play the fool every weekend.',
    'I own a lot of regrets.',
    "I'm going to lose my mind next week.",
    'I live in dread.',
    "I call Sarah when I'm stuck.",
    'I work for an idiot.',
    "I'm a shower singer.",
    "I'm allergic to early starts.",
    "I have a master's in late-night snacking.",
    'I study people on the bus.',
    "I'm engaged in a fight with my printer.",
    "I'm a vegetarian's nightmare.",
    'I switched from days to nights.',
    'My name is misspelt on the invoice.',
    'Call me jaded.',
    'I collect grudges.',
    "I'm from Accounts, hello.",
    "I'm blind without my glasses.",
    "I'm learning patience.",
    'I turned 40 pages.',
    'I stay at the Hilton.',
    "I'm a father of two failed startups.",
    'We broke up the old patio.',
  ])('[RUL-2] %s', (said) => {
    expect(learnt(said)).toEqual([])
  })

  it.each([
    ['I love baking bread and long walks.', ['likes=baking bread', 'likes=long walks']],
    ['I go swimming every Tuesday before work.', ['habit=go swimming every Tuesday before work']],
    ['My goal is to run a marathon.', ['goal=run a marathon']],
    ['My favourite author is Ursula K. Le Guin.', ['favorite.author=Ursula K. Le Guin']],
    ['i live in bonn and my name is ann', ['home=Bonn', 'name=Ann']],
    ["I'm severely allergic to cashews.", ['allergy=cashews']],
    ['I work for the council as a surveyor.', ['employer=the council', 'job=surveyor']],
    ['I have a degree in marine biology.', ['education=degree in marine biology']],
    ['My severe nut allergy means no cake.', ['allergy=nut']],
    ['My wife and I have separated.', ['relationship=separated']],
    ['I own a small bakery.', ['owns=small bakery']],
  ])('[RUL-2] what is meant in earnest is learnt: %s', (said, facts) => {
    expect(learnt(said)).toEqual(facts)
  })
})

import { expect, test } from 'vitest'
import { InputError } from '../../errors/index.ts'
import { dateWords } from '../../text/index.ts'
import { locomoSet, locomoTime } from './locomo.ts'

const file = [
  {
    sample_id: 'talk-1',
    conversation: {
      speaker_a: 'Ida',
      speaker_b: 'Sven',
      session_10_date_time: '12:05 am on 1 March, 2024',
      session_10: [{ speaker: 'Sven', dia_id: 'D10:1', text: 'The kiln is hot.' }],
      session_2_date_time: '12:30 pm on 29 February, 2024',
      session_2: [
        { speaker: 'Ida', dia_id: 'D2:1', text: 'Look at my bowl!', blip_caption: 'a photo of a blue bowl' },
        { speaker: 'Sven', dia_id: 'D2:2', text: 'Which glaze is it?' },
      ],
      session_11_date_time: '9:00 am on 2 March, 2024',
    },
    qa: [
      { question: 'What did Ida make?', category: 4, evidence: ['D2:1'], answer: 'a bowl' },
      { question: 'What did they do?', category: 1, evidence: ['D2:1; D10:1', '(D2:1)', 'D7:7'], answer: 3 },
      { question: 'Who never spoke?', category: 5, evidence: ['D2:2'] },
      { question: 'Whose cat is it?', category: 3, evidence: [] },
      { question: 'And whose dog?', category: 3 },
    ],
  },
]

test('[BEN-2] turns come session by session in number order, with caption, speaker and time', () => {
  const [talk] = locomoSet(file).conversations
  expect(talk?.id).toBe('talk-1')
  expect(talk?.turns.map(({ id, session, actor, content }) => [id, session, actor, content])).toEqual([
    ['D2:1', 2, 'Ida', 'Look at my bowl! a photo of a blue bowl'],
    ['D2:2', 2, 'Sven', 'Which glaze is it?'],
    ['D10:1', 10, 'Sven', 'The kiln is hot.'],
  ])
  expect(new Set(talk?.turns.map(({ role }) => role))).toEqual(new Set(['user']))
})

test('[BEN-2] a session time is searched for in the words of the file', () => {
  for (const words of ['1:56 pm on 8 May, 2023', '12:05 am on 1 March, 2024', '12:30 pm on 29 February, 2024']) {
    expect(dateWords({ start: locomoTime(words, 'time'), zone: 'UTC', granularity: 'minute' })).toBe(words)
  }
  expect(() => locomoTime('8 May 2023', 'file')).toThrow(InputError)
  expect(() => locomoTime('1:56 pm on 8 Mai, 2023', 'file')).toThrow(InputError)
})

test('[BEN-2] questions keep every evidence id once; adversarial ones and those without evidence are left out', () => {
  const [talk] = locomoSet(file).conversations
  expect(talk?.questions.map(({ text, category, evidence }) => [text, category, evidence])).toEqual([
    ['What did Ida make?', 'single-hop', ['D2:1']],
    ['What did they do?', 'multi-hop', ['D2:1', 'D10:1', 'D7:7']],
  ])
})

test('[BEN-2] another shape is refused with the place of the trouble', () => {
  expect(() => locomoSet({ users: [] })).toThrow(InputError)
  const untimed = [{ ...file[0], conversation: { session_1: [] } }]
  expect(() => locomoSet(untimed)).toThrow(/file\[0\]\.conversation\.session_1_date_time/)
})

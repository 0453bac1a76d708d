import { expect, test } from 'vitest'
import { dateWords } from '../../text/index.ts'
import { assistantSet } from './assistant.ts'

const file = {
  users: [
    {
      id: 'u9',
      timezone: 'America/Chicago',
      sessions: [
        {
          id: 's1',
          at: '2026-03-01T20:15:00-06:00',
          turns: [{ id: 's1:1', role: 'user', text: 'I moved to Peoria.' }],
        },
        { id: 's2', at: '2026-06-01T09:00:00-05:00', turns: [{ id: 's2:1', role: 'assistant', text: 'Noted.' }] },
      ],
      questions: [
        {
          category: 'knowledge-update',
          question: 'Where do I live?',
          evidence: ['s2:1'],
          stale: ['s1:1'],
          also: ['s1:1'],
        },
        { category: 'abstain', question: 'Have I a boat?', evidence: [] },
      ],
    },
  ],
}

test('[BEN-2] turns of an assistant set keep role, session and local time', () => {
  const [user] = assistantSet(file).conversations
  expect(user?.turns.map(({ id, session, role, actor }) => [id, session, role, actor])).toEqual([
    ['s1:1', 1, 'user', 'User'],
    ['s2:1', 2, 'assistant', 'Assistant'],
  ])
  const [first] = user?.turns ?? []
  expect(dateWords({ start: first?.at ?? '', zone: first?.zone, granularity: 'minute' })).toBe(
    '8:15 pm on 1 March, 2026',
  )
})

test('[BEN-2] outdated turns are known, repeating ones ignored, unanswerable questions kept', () => {
  const [user] = assistantSet(file).conversations
  expect(user?.questions).toEqual([
    { category: 'knowledge-update', text: 'Where do I live?', evidence: ['s2:1'], stale: ['s1:1'] },
    { category: 'abstain', text: 'Have I a boat?', evidence: [], stale: [] },
  ])
})

import { describe, expect, it } from 'vitest'
import type { Asked } from './asked.ts'
import { renderAnswer } from './renderers.ts'

const asked: Asked = { options: {}, place: '', records: new Map(), more: false }
const degraded = [{ stage: 'embedder', code: 'EMBEDDER_UNAVAILABLE', message: 'it does not answer.' }]

describe('answers for people', () => {
  it.each([
    ['add', { outcome: 'added', record: { id: 'x' }, tx: 't', degraded }],
    ['addMany', { results: [], tx: 't', degraded }],
    ['apply', { results: [], tx: 't', degraded }],
    ['search', { results: [], degraded }],
    ['import', { imported: 1, updated: 0, skipped: 0, failed: 0, rows: [], tx: 't', degraded }],
  ])('[CLI-31] %s says which part of it failed', (verb, answer) => {
    const { notes = [] } = renderAnswer(verb, answer, asked)
    expect(notes).toContain('The embedder could not do its part: EMBEDDER_UNAVAILABLE: it does not answer.')
  })
})

// How much of what answers a question is in a context of so many tokens, and by which threshold: every turn of a conversation is an
// episode, and of each question the share of its evidence is counted that the context shows. Beside it, searches. Needs a build.
//
//   node bench/context-recall.mjs bench/data/assistant-dev.json data/sample/conversation.json
import { readFile } from 'node:fs/promises'
import { openMemory } from 'mneme'

const budgets = [300, 600, 1200, 2400]
const thresholds = [0, 0.1, 0.15, 0.2]
const limits = [5, 10, 20]

const conversations = []
for (const path of process.argv.slice(2)) {
  const { users, sessions, questions } = JSON.parse(await readFile(path, 'utf8'))
  conversations.push(...(users ?? [{ id: 'sample', sessions, questions }]))
}

/** Ids of turns are those of the sets, which name some turns within their session and others alone. */
const turnId = (session, { id }) => (String(id).includes(':') ? id : `${session}:${id}`)

const memories = []
for (const { id, sessions, questions } of conversations) {
  const memory = await openMemory({ path: ':memory:', scope: { userId: id } })
  for (const session of sessions) {
    const turns = session.turns.map((turn, i) => ({
      id: turnId(session.id, turn),
      content: turn.text,
      kind: 'episodic',
      source: { type: turn.role === 'assistant' ? 'assistant' : 'user', actor: turn.actor ?? turn.role },
      eventTime: { start: new Date(Date.parse(session.at) + i * 60_000).toISOString() },
    }))
    await memory.addMany(turns, { scope: { userId: id, sessionId: session.id } })
  }
  memories.push({ memory, questions: questions.filter(({ evidence }) => evidence?.length > 0) })
}

/** The share of all evidence that is among the ids that `ask` shows, and what else it tells of each question. */
async function measure(ask) {
  let [found, all, tokens, count] = [0, 0, 0, 0]
  for (const { memory, questions } of memories) {
    for (const { question, evidence } of questions) {
      const shown = await ask(memory, question)
      const ids = new Set(shown.ids)
      all += evidence.length
      found += evidence.filter((id) => ids.has(id)).length
      tokens += shown.tokens ?? 0
      count++
    }
  }
  return { recall: found / all, tokens: Math.round(tokens / count), count }
}

const idsOf = (items) => items.map(({ id }) => id)
console.log('| Budget | minScore | Evidence shown | Tokens used |\n| --- | --- | --- | --- |')
for (const tokens of budgets) {
  for (const minScore of thresholds) {
    const { recall, tokens: used } = await measure(async (memory, question) => {
      const made = await memory.context(question, { budget: { tokens }, minScore, touch: false })
      return { ids: idsOf(made.items), tokens: made.tokens }
    })
    console.log(`| ${tokens} | ${minScore} | ${recall.toFixed(3)} | ${used} |`)
  }
}
for (const limit of limits) {
  const { recall, count } = await measure(async (memory, question) => {
    const { results } = await memory.search(question, { limit, touch: false })
    return { ids: idsOf(results) }
  })
  console.log(`\nSearch, ${limit} results: ${recall.toFixed(3)} (${count} questions)`)
}
for (const { memory } of memories) await memory.close()

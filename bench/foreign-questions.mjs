// What a score says about questions that have nothing to do with the memory: every memory of a set is asked its own questions,
// those of the other memories, those of the other set, and questions of general knowledge. Needs a build.
//
//   node bench/foreign-questions.mjs bench/data/assistant-dev.json [LOCOMO.json]
import { readFile } from 'node:fs/promises'
import { openMemory } from 'mneme'
import { memory } from 'mneme/stores/memory'

const general = [
  'what are the rules of ice hockey?',
  'how do I change a car tire?',
  'who wrote Hamlet?',
  'at which temperature does water boil on a mountain?',
  'how does photosynthesis work?',
  'when did the Roman empire fall?',
  'what is the tallest mountain in Africa?',
  'how do I install Linux?',
  'what goes into a bouillabaisse?',
  'who won the football world cup in 1998?',
  'how many bones has the human body?',
  'what is the currency of Japan?',
  'what does the theory of relativity say?',
  'how do vaccines work?',
  'what is the speed of light?',
  'how do I get wine stains out of a carpet?',
  'how are taxes filed in Canada?',
  'what is a black hole?',
  'who painted the Night Watch?',
  'how far away is the moon?',
]
const thresholds = [0.15, 0.2, 0.25, 0.3, 0.35]
const mostForeign = 150
const day = 24 * 3600_000
// How fresh a record is must not depend on when this runs.
const now = Date.parse('2026-11-30T00:00:00Z')

/** Users who talk with one assistant. */
function assistantMemories({ users }) {
  return users.map(({ id, sessions, questions }) => ({
    id,
    sessions: sessions.map(({ at, turns }) => turns.map(({ role, text }) => ({ at, actor: role, type: role, text }))),
    questions: questions.filter(({ evidence }) => evidence.length > 0).map(({ question }) => question),
  }))
}

/** Two people who talk with each other; sessions a day apart, as the order is all that counts here. */
function locomoMemories(conversations) {
  return conversations.map(({ conversation, qa }, i) => ({
    id: `locomo-${i + 1}`,
    sessions: Object.keys(conversation)
      .filter((name) => /^session_\d+$/.test(name))
      .map((name, n) =>
        conversation[name].map(({ speaker, text }) => ({
          at: new Date(now - (100 - n) * day).toISOString(),
          actor: speaker,
          type: 'user',
          text,
        })),
      ),
    questions: qa.filter(({ category }) => category !== 5).map(({ question }) => question),
  }))
}

async function remember(engine, { id, sessions }) {
  for (const [i, turns] of sessions.entries()) {
    const records = turns
      .filter(({ text }) => text?.trim())
      .map(({ at, actor, type, text }) => ({
        kind: 'episodic',
        content: text,
        source: { type, actor },
        eventTime: { start: at },
      }))
    if (records.length > 0)
      await engine.addMany(records, { scope: { userId: id, sessionId: `${i + 1}` }, dedupe: false })
  }
}

/** Best scores of the questions, in a memory of its own. */
async function bestScores(one, groups) {
  const engine = await openMemory({ store: memory(), clock: () => now, scope: { userId: one.id } })
  await remember(engine, one)
  const found = {}
  for (const [name, questions] of Object.entries(groups)) {
    found[name] = []
    for (const question of questions) {
      const { results } = await engine.search(question, { limit: 1, touch: false })
      found[name].push(results[0]?.score ?? 0)
    }
  }
  await engine.close()
  return found
}

function sample(questions) {
  const step = Math.ceil(questions.length / mostForeign)
  return questions.filter((_, i) => i % step === 0)
}

/** How often a question of its own scores above a foreign one. */
function separation(own, foreign) {
  let above = 0
  for (const a of own) for (const b of foreign) above += a > b ? 1 : a === b ? 0.5 : 0
  return above / (own.length * foreign.length)
}

function row(name, scores, own) {
  const sorted = [...scores].sort((a, b) => a - b)
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(2)
  const under = thresholds.map((threshold) => {
    const share = scores.filter((score) => score < threshold).length / scores.length
    return `${Math.round(share * 100)} %`
  })
  const apart = name === 'own' ? '' : separation(own, scores).toFixed(2)
  return `| ${[name, scores.length, at(0.1), at(0.5), at(0.9), ...under, apart].join(' | ')} |`
}

async function report(title, memories, otherSet) {
  const all = {}
  for (const one of memories) {
    const others = memories.filter((other) => other !== one).flatMap(({ questions }) => questions)
    const groups = { own: one.questions, 'of the other memories': sample(others), 'general knowledge': general }
    if (otherSet.length > 0) groups['of the other set'] = sample(otherSet.flatMap(({ questions }) => questions))
    for (const [name, scores] of Object.entries(await bestScores(one, groups))) {
      all[name] = [...(all[name] ?? []), ...scores]
    }
  }
  const heads = ['questions', 'n', '10 %', 'half', '90 %', ...thresholds.map((threshold) => `< ${threshold}`), 'AUC']
  console.log(`## ${title}\n\n| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}`)
  for (const [name, scores] of Object.entries(all)) console.log(row(name, scores, all.own))
  console.log()
}

const [assistantPath, locomoPath] = process.argv.slice(2)
const read = async (path) => JSON.parse(await readFile(path, 'utf8'))
const assistant = assistantMemories(await read(assistantPath))
const locomo = locomoPath === undefined ? [] : locomoMemories(await read(locomoPath))
await report('Assistant set', assistant, locomo)
if (locomo.length > 0) await report('LoCoMo', locomo, assistant)

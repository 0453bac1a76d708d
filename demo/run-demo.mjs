import { readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { SingleBar } from 'cli-progress'
import { openMemory } from 'mneme'
import { askQuestions } from './ask-questions.mjs'
import { importConversation } from './import-conversation.mjs'
import { showChange } from './show-change.mjs'
import { showLearning } from './show-learning.mjs'

const sample = new URL('../data/sample/conversation.json', import.meta.url)
const userId = 'demo'
const learner = 'ann'

/** What to type next; all of it works as printed from the project's folder. */
const commands = (path) => [
  `npx mneme --db ${path} search "Where does Henrike live now?" --user ${userId}`,
  `npx mneme --db ${path} search "Where does Henrike live?" --user ${userId} --as-of 2025-12-31T00:00:00Z`,
  `npx mneme --db ${path} list --user ${userId} --kinds semantic --status any`,
  `npx mneme --db ${path} history fact-visit-1 --user ${userId}`,
  `npx mneme --db ${path} explain "Why did the Easter visit not happen?" s17:3 --user ${userId}`,
  `npx mneme --db ${path} context "What can I cook?" --user ${learner}`,
  `npx mneme --db ${path} conflicts list --user ${learner}`,
]

/** A clock that shows the time of the session being written. */
function createClock(start) {
  let now = start
  return Object.assign(() => now, {
    set(time) {
      now = time
    },
  })
}

/** A bar on a terminal; nothing where the output is a file or a pipe. */
function progressBar(total) {
  if (!process.stdout.isTTY) return { update: () => {}, stop: () => {} }
  const bar = new SingleBar({
    format: 'importing {bar} {value}/{total} sessions',
    hideCursor: true,
    clearOnComplete: true,
  })
  bar.start(total, 0)
  return bar
}

async function removeDatabase(path) {
  for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true })
}

/** Imports the sample conversation into a new file, asks its questions, shows a fact that changed and what is learnt. */
export async function runDemo({ path = './mneme-demo.db', say }) {
  const conversation = JSON.parse(await readFile(sample, 'utf8'))
  await removeDatabase(path)
  const clock = createClock(Date.parse(conversation.sessions[0].at))
  const memory = await openMemory({ path, scope: { userId }, clock })
  try {
    say(conversation.about)
    const bar = progressBar(conversation.sessions.length)
    const start = performance.now()
    const counts = await importConversation(memory, conversation, {
      clock,
      userId,
      onProgress: (done) => bar.update(done),
    })
    bar.stop()
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    say(
      `Imported in ${seconds} s into ${path}: ${counts.turns} turns, ${counts.facts} facts, ${counts.superseded} of them newer versions.`,
    )
    say()
    const found = await askQuestions(memory, say, conversation.questions)
    say(
      `The expected turn, or a fact drawn from it, was among the first 3 for ${found} of ${conversation.questions.length} questions.`,
    )
    say('The built-in embedder is English: German and Chinese questions lean on the words they share with the answer.')
    say()
    await showChange(memory, say)
    await showLearning(memory.scoped({ userId: learner }), say)
  } finally {
    await memory.close()
  }
  say('Go on by yourself:')
  for (const command of commands(path)) say(`    ${command}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runDemo({ say: (line = '') => process.stdout.write(`${line}\n`) })
}

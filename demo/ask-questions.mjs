import { why } from '../dist/cli/output/why.js'
import { dayOf, shorten, wrap } from './text.mjs'

const shown = 3

/** True when a hit is one of the turns that answer the question, or a fact drawn from one. */
function isEvidence(hit, evidence) {
  return evidence.includes(hit.id) || (hit.source.from ?? []).some((id) => evidence.includes(id))
}

function momentOf(hit) {
  return hit.eventTime ? dayOf(hit.eventTime.start, hit.eventTime.zone) : dayOf(hit.createdAt)
}

/** The expected ones in full, so that the answer can be read; the others in a line. */
function showHit(say, hit, place, isExpected) {
  const who = hit.kind === 'episodic' ? hit.source.actor : `${hit.source.actor} (fact)`
  say(
    `  ${isExpected ? '✓' : ' '} ${place}. ${momentOf(hit)}, ${who}; score ${hit.score.toFixed(2)}: ${why(hit.explanation)}`,
  )
  for (const line of isExpected ? wrap(hit.content) : [shorten(hit.content)]) say(`       ${line}`)
}

/** Asks one question and shows the best answers. Resolves with true when the expected evidence is among them. */
async function ask(memory, say, { question, evidence, answer }, number) {
  const { results } = await memory.search(question, { limit: shown, explain: true, touch: false })
  const found = results.map((hit) => isEvidence(hit, evidence))
  say(`${number}. ${question}`)
  for (const [i, hit] of results.entries()) showHit(say, hit, i + 1, found[i])
  const isFound = found.includes(true)
  say(`    ${isFound ? 'Found' : `Not among the first ${shown}`}: ${answer}`)
  say()
  return isFound
}

/** Asks all questions; resolves with how many had the expected evidence among the first three. */
export async function askQuestions(memory, say, questions) {
  let found = 0
  for (const [i, question] of questions.entries()) found += Number(await ask(memory, say, question, i + 1))
  return found
}

const user = (content) => ({ role: 'user', name: 'Ann', content })

/** What is said, what is learnt from it without a model, what a page may not change, and what a model would be given. */
export async function showLearning(memory, say) {
  const said = [
    "Hi, I'm Ann. I live in Bremen and I'm allergic to peanuts.",
    'I moved to Rostock. From now on, answer in one sentence.',
  ]
  say('What a conversation teaches, without a model')
  for (const content of said) {
    say(`    Ann: ${content}`)
    const { plan } = await memory.learn([user(content)])
    for (const { op, after } of plan.steps) {
      if (after?.kind === 'semantic')
        say(`        ${op}: ${after.content}${after.status === 'live' ? '' : ` (${after.status})`}`)
    }
  }
  const page = { type: 'web', ref: 'https://example.org', quote: 'Ann lives in Kiel.' }
  const { outcome } = await memory.facts.set('user.home', 'Kiel', { source: page })
  say(`    A web page says that Ann lives in Kiel: ${outcome}. What she said stays, until somebody decides.`)
  say()
  say('What a model would be given for "Where should the parcel go?"')
  const { text } = await memory.context('Where should the parcel go?', { budget: { tokens: 200 } })
  for (const line of text.split('\n')) say(`    ${line}`)
  say()
}

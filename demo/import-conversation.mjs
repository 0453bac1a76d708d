/** Milliseconds since the epoch of a turn: `minutes` after the start of its session. */
const saidAt = (session, turn) => Date.parse(session.at) + turn.minutes * 60_000

/** A turn as an episode: who said it and when, with the zone it was lived in. */
function turnMemory(session, turn) {
  return {
    id: turn.id,
    kind: 'episodic',
    content: turn.text,
    source: { type: 'user', actor: turn.actor },
    eventTime: { start: new Date(saidAt(session, turn)).toISOString(), zone: session.zone, granularity: 'minute' },
  }
}

/** A fact under a key; `from` says which turns it was drawn from. */
function factMemory({ id, key, actor, content, validFrom, from }) {
  return { id, key, kind: 'semantic', content, validFrom, source: { type: 'derived', actor, from } }
}

/** Adds a fact, or puts it in the place of the one it supersedes. */
async function learn(memory, fact) {
  const reason = `said in ${fact.from.join(' and ')}`
  if (fact.supersedes === undefined) await memory.add(factMemory(fact), { reason })
  else await memory.supersede(fact.supersedes, factMemory(fact), { reason })
}

/**
 * Writes a conversation session by session, each at its own time, and after each session the facts learned in it.
 * @param clock what the memory was opened with: `set(ms)` moves it
 * @param onProgress hears how many sessions are written
 */
export async function importConversation(memory, conversation, { clock, userId, onProgress }) {
  const { sessions, facts } = conversation
  const waiting = [...facts].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  for (const [i, session] of sessions.entries()) {
    const end = Math.max(...session.turns.map((turn) => saidAt(session, turn)))
    clock.set(end)
    await memory.addMany(
      session.turns.map((turn) => turnMemory(session, turn)),
      { scope: { userId, sessionId: session.id } },
    )
    while (waiting.length > 0 && Date.parse(waiting[0].at) <= end) await learn(memory, waiting.shift())
    onProgress?.(i + 1)
  }
  if (waiting.length > 0) throw new Error(`${waiting.length} facts were learned after the last session`)
  return {
    turns: sessions.reduce((sum, { turns }) => sum + turns.length, 0),
    facts: facts.length,
    superseded: facts.filter(({ supersedes }) => supersedes !== undefined).length,
  }
}

// The plans of the statements that searches send, as the server carries them out.
import pg from 'pg'

/** Keeps what is sent while an action runs. */
async function sentBy(action) {
  const { prototype } = pg.Client
  const { query } = prototype
  const sent = []
  prototype.query = function record(statement, ...rest) {
    if (typeof statement?.text === 'string') sent.push(statement)
    return query.call(this, statement, ...rest)
  }
  try {
    await action()
  } finally {
    prototype.query = query
  }
  return sent
}

/**
 * Explains every statement that an action sends and that reads rows, in one transaction with its settings.
 * @returns text, time on the server and plan of each
 */
export async function explain(url, action) {
  const sent = await sentBy(action)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const plans = []
  try {
    await client.query('BEGIN')
    for (const { text, values } of sent) {
      if (/^\s*SET LOCAL/.test(text)) await client.query(text)
      if (!/^\s*(SELECT|WITH)/.test(text)) continue
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, [...(values ?? [])])
      const lines = rows.map((row) => row['QUERY PLAN'])
      const milliseconds = Number(/Execution Time: ([\d.]+)/.exec(lines.at(-1))?.[1])
      // A question's vector is a long line that says nothing.
      plans.push({
        text: text.replaceAll(/\s+/g, ' '),
        milliseconds,
        plan: lines.join('\n').replaceAll(/'\[[^\]']*\]'/g, "'[…]'"),
      })
    }
    await client.query('ROLLBACK')
  } finally {
    await client.end()
  }
  return plans
}

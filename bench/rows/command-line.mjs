// `mneme search` as a shell starts it: a new process, no cache but the system's own.
import { join } from 'node:path'
import { runOrThrow } from '../../scripts/run-command.mjs'
import { readQuestions } from '../dataset.mjs'
import { summary, timeEach } from '../measure.mjs'
import { copyOf } from '../store-file.mjs'

export async function measure({ packageFolder, data, folder, store }) {
  const path = await copyOf(store.all, folder)
  const { warm, timed } = await readQuestions(data)
  const search = (question) =>
    runOrThrow(
      [
        process.execPath,
        join(packageFolder, 'dist', 'cli', 'main.js'),
        'search',
        '--all-scopes',
        '--db',
        path,
        '--',
        question,
      ],
      { cwd: folder, env: { HOME: folder, NO_COLOR: '1' } },
    )
  await search(warm[0])
  return summary(await timeEach(timed.slice(0, 11), search))
}

import { userInfo } from 'node:os'
import { isatty } from 'node:tty'
import type { CliIo } from './io.ts'

/** Interrupting once ends the work in hand properly, interrupting again ends it at once. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  })
  return controller.signal
}

/** Warnings as ever, but for those of `node:sqlite`, which calls itself experimental at every start. */
function quietExperiments(): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') process.stderr.write(`(mneme) ${name}: ${message}\n`)
  })
}

/** The streams and settings of this process. */
export function processIo(): CliIo {
  quietExperiments()
  return {
    // Not touched before it is read: an open stdin would keep the process waiting.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    isTerminal: {
      stdin: isatty(0),
      stdout: process.stdout.isTTY === true,
      stderr: process.stderr.isTTY === true,
    },
    columns: process.stdout.columns,
    signal: interruption(),
    userName: () => userInfo().username,
  }
}

// Starts other programs for the scripts of this folder. Node only: it runs before anything is installed.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root, without a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')

/** Path of a file inside an installed package. */
export const installed = (...path) => join(root, 'node_modules', ...path)

/** How to start npm: the one that runs us, if one does. */
export const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm']

/**
 * Runs a command to its end, without stdin.
 * `show`: its output goes to the terminal; otherwise it comes back as `output`.
 * @returns {Promise<{ code: number, output: string, stdout: string }>} never rejects: a command that can't start has code 127
 */
export function run(command, { cwd = root, env = {}, show = false, seconds = 600 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    })
    let output = ''
    let stdout = ''
    const timer = setTimeout(() => {
      output += `\n(ended after ${seconds} s)\n`
      if (show) console.log(`(ended after ${seconds} s)`)
      child.kill('SIGKILL')
    }, seconds * 1000)
    const settle = (code) => {
      clearTimeout(timer)
      resolve({ code, output, stdout })
    }
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text
      stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.on('error', (error) => {
      output += error.message
      settle(127)
    })
    child.on('close', (code, signal) => settle(code ?? (signal ? 128 : 1)))
  })
}

/** Like `run`, for commands that must succeed. @throws Error with the whole output */
export async function runOrThrow(command, options) {
  const result = await run(command, options)
  if (result.code !== 0) throw new Error(`${command.join(' ')} ended with ${result.code}\n${result.output}`)
  return result
}

/** Counts named checks: a line for each, and the whole message of one that fails. */
export function createChecks() {
  const counts = { passed: 0, failed: 0 }
  return {
    counts,
    /** @returns what the action returned, or undefined when it failed */
    async check(name, action) {
      const start = performance.now()
      try {
        const value = await action()
        counts.passed += 1
        console.log(`  ok      ${name} (${Math.round(performance.now() - start)} ms)`)
        return value
      } catch (error) {
        counts.failed += 1
        const text = error instanceof Error ? error.message : String(error)
        console.log(`  FAILED  ${name}\n${text.replace(/^/gm, '          ')}`)
        return undefined
      }
    },
  }
}

/** Runs `main` when its module is the program, and turns failed counts into the exit code. */
export async function whenProgram(moduleUrl, main) {
  if (process.argv[1] === undefined || fileURLToPath(moduleUrl) !== process.argv[1]) return
  const { passed, failed } = await main(process.argv.slice(2))
  console.log(`${passed} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
}

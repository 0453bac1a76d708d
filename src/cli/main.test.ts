import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../../dist/cli/main.js')
let folder: string
let env: NodeJS.ProcessEnv
beforeAll(() => {
  expect(existsSync(main), 'npm run build comes before this test').toBe(true)
  folder = mkdtempSync(join(tmpdir(), 'mneme-main-'))
  env = { ...process.env, MNEME_DB: join(folder, 'memory.db') }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function start(...argv: string[]): ChildProcess {
  return spawn(process.execPath, [main, ...argv], { env })
}

async function finish(child: ChildProcess, stdin = ''): Promise<{ exit: number | null; out: string; err: string }> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  child.stdin?.end(stdin)
  const exit = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { exit, out, err }
}

const run = (argv: readonly string[], stdin?: string) => finish(start(...argv), stdin)

describe('the built program', () => {
  it('[CLI-17] remembers from stdin and finds in another process', async () => {
    expect(await run(['add', '--user', 'ann'], 'Ann plays the cello\n')).toMatchObject({ exit: 0, err: '' })
    const { exit, out } = await run(['search', 'which instrument does she play?', '--user', 'ann', '-o', 'json'])
    expect(exit).toBe(0)
    expect(JSON.parse(out).results[0].content).toBe('Ann plays the cello')
    expect(await run(['search', 'x', '-k', '0', '--user', 'ann'])).toMatchObject({ exit: 2, out: '' })
  })

  it('[CLI-17] all of a long output arrives, and a reader who leaves is no failure', async () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `${i} ${'bottles of beer '.repeat(10)}`).join('\n')
    expect((await run(['add-many', '--user', 'bob'], lines)).exit).toBe(0)
    const { out } = await run(['export', '--user', 'bob'])
    expect(out.trimEnd().split('\n')).toHaveLength(2002)
    const leaving = start('export', '--user', 'bob')
    leaving.stdout?.once('data', () => leaving.stdout?.destroy())
    expect(await finish(leaving)).toMatchObject({ exit: 0, err: '' })
  })

  it('[CLI-13] the file in the home folder is made at the first use, for its owner alone', async () => {
    const home = join(folder, 'home')
    const { MNEME_DB: _, ...rest } = env
    const adding = spawn(process.execPath, [main, 'add', 'x', '-o', 'json'], {
      env: { ...rest, HOME: home, USERPROFILE: home },
    })
    expect(await finish(adding)).toMatchObject({ exit: 0, err: '' })
    expect(existsSync(join(home, '.mneme', 'memory.db'))).toBe(true)
    if (process.platform !== 'win32') expect(statSync(join(home, '.mneme')).mode & 0o777).toBe(0o700)
  })

  it('[CLI-17] an interruption ends a watch with 130', async () => {
    const watching = start('watch', '--user', 'ann', '-o', 'jsonl')
    const finished = finish(watching)
    watching.stdout?.once('data', () => watching.kill('SIGINT'))
    let ended = false
    watching.on('close', () => {
      ended = true
    })
    // The first may come before the watch begins.
    for (let i = 0; !ended && i < 50; i++) await run(['add', `Ann counts to ${i}`, '--user', 'ann'])
    const { exit, out, err } = await finished
    expect({ exit, err }).toEqual({ exit: 130, err: '' })
    expect(JSON.parse(out.split('\n')[0] as string)).toMatchObject({ op: 'add' })
  })
})

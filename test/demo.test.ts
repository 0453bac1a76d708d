import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

describe('npm run demo', () => {
  let folder: string
  let output: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-demo-'))
    // Rejects when the demo ends with anything but 0.
    output = (await run(process.execPath, [join(root, 'scripts', 'demo.mjs')], { cwd: folder })).stdout
  }, 180_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('[DEM-1] imports the sample conversation into ./mneme-demo.db and ends with 0', async () => {
    expect(output).toMatch(/Imported in .* into \.\/mneme-demo\.db: 312 turns, 10 facts, 5 of them newer versions\./)
    expect(await readdir(folder)).toEqual(['mneme-demo.db'])
  })

  it('[DEM-2] asks every question and says of each answer when, who, why, and whether it was the expected one', () => {
    expect(output.match(/^\d+\. .*[?？]$/gm)).toHaveLength(14)
    expect(output).toMatch(/^ {2}✓ 1\. 30 April 2026, Henrike; score 0\.\d\d: .*the same words/m)
    expect(output).toMatch(/Nummer KD-2026-0417/)
    expect(output.split(/^\d+\. /m)[1]).toContain('    Found: ')
    const found = [...output.matchAll(/^ {4}Found: /gm)].length
    expect(output).toContain(`was among the first 3 for ${found} of 14 questions.`)
    expect(found + [...output.matchAll(/^ {4}Not among the first 3: /gm)].length).toBe(14)
    expect(found).toBeGreaterThanOrEqual(5)
  })

  it('[DEM-3] shows a fact that changed: what holds, what was believed before, and how it came about', () => {
    expect(output).toMatch(/now: +Zhiyu is coming from 12 to 25 June 2026/)
    expect(output).toMatch(/believed on 1 March 2026: +Zhiyu is coming to Leipzig at Easter/)
    expect(output).toMatch(/version 1, 7 December 2025: add, said in s10:7\n +version 2, 15 March 2026: supersede/)
  })

  it('[DEM-4] the commands it prints work as printed on the file it made', async () => {
    const commands = [...output.matchAll(/^ {4}npx mneme (.+)$/gm)].map((match) => match[1] as string)
    expect(commands.length).toBeGreaterThanOrEqual(4)
    const main = join(root, 'dist', 'cli', 'main.js')
    for (const command of commands) {
      const { stdout } = await run('bash', ['-c', `"${process.execPath}" "${main}" ${command}`], { cwd: folder })
      expect(stdout, command).not.toBe('')
    }
  }, 60_000)

  it('[DEM-6] shows what is learnt without a model, that a page changes nothing, and what a model would be given', () => {
    expect(output).toMatch(/add: Ann lives in Bremen\n/)
    expect(output).toMatch(/supersede: Ann lives in Bremen \(superseded\)\n +supersede: Ann lives in Rostock\n/)
    expect(output).toMatch(/Ann lives in Kiel: conflict\./)
    const given = output.split('What a model would be given')[1]
    expect(given).toMatch(/Ann lives in Rostock/)
    expect(given).toMatch(/answer in one sentence/)
    expect(given).not.toMatch(/Kiel/)
  })

  it('[DEM-5] draws no progress bar and no colours where the output is no terminal', () => {
    const escapeCode = String.fromCharCode(27)
    expect(output.includes(escapeCode) || output.includes('\r')).toBe(false)
  })
})

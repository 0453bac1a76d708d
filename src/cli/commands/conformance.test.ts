import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../../../test/fixtures/cli.ts'

const memoryStore = pathToFileURL(join(import.meta.dirname, '../../../dist/stores/memory/index.js')).href

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-conformance-test-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function module(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, `import { memory } from '${memoryStore}'\n${text}`)
  return path
}

describe('mneme conformance', () => {
  it('[CLI-16] checks the built-in stores and leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('mneme-conformance-'))
    const { exit, out } = await cli(['conformance'])
    expect(out).toMatch(/^memory {2}\d+ kept, 0 broken/m)
    expect(out).toMatch(/^sqlite {2}\d+ kept, 0 broken/m)
    expect(out).toMatch(/^✓ {2}STO-SCO-1 /m)
    expect(exit).toBe(0)
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('mneme-conformance-') && !before.includes(name))
    expect(left).toEqual([])
  }, 120_000)

  it('[CLI-16] checks a store of your own, and a broken promise ends with 5', async () => {
    const sound = await cli(['conformance', module('sound.mjs', 'export default memory'), '-o', 'json'])
    expect(sound.exit).toBe(0)
    expect(JSON.parse(sound.out)).toMatchObject({ ok: true, results: expect.any(Array) })
    const text =
      'export default { name: "leaky", create: () => ({ ...memory(), verify: async () => [{ code: "X", message: "x" }] }) }'
    const broken = await cli(['conformance', module('broken.mjs', text)])
    expect(broken.exit).toBe(5)
    expect(broken.out).toMatch(/^leaky {2}0 kept, \d+ broken/m)
  }, 120_000)

  it('[CLI-16] a module that is no store is refused', async () => {
    expect(await cli(['conformance', join(folder, 'nowhere.mjs')])).toMatchObject({ exit: 2 })
    const number = await cli(['conformance', module('number.mjs', 'export default 1')])
    expect(number).toMatchObject({ exit: 2, err: expect.stringContaining('default export') })
  })
})

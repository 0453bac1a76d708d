import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../../test/fixtures/cli.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-learn-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function freshPlace() {
  const db = join(folder, `${++files}.db`)
  return (...argv: string[]) => [...argv, '--db', db, '--user', 'ann', '--no-embedder']
}

const messages = [
  { role: 'system', content: 'You are a helpful assistant.' },
  { role: 'user', content: 'I live in Bonn.' },
]
const said = JSON.stringify(messages)

describe('mneme learn', () => {
  it.each<[string, string]>([
    ['a JSON array', said],
    ['JSON over several lines', JSON.stringify(messages, null, 2)],
    ['JSON lines', messages.map((one) => JSON.stringify(one)).join('\n')],
    ['an object with messages', JSON.stringify({ messages })],
    ['an object with messages over several lines', JSON.stringify({ messages }, null, 2)],
    ['one message', JSON.stringify(messages[1])],
    ['plain text', 'I live in Bonn.'],
  ])('[CLI-50] learns from %s: piped in, as an argument, from a file', async (_, text) => {
    const file = join(folder, 'chat')
    writeFileSync(file, `${text}\n`)
    for (const [argv, stdin] of [
      [['learn'], text],
      [['learn', '-'], text],
      [['learn', text], undefined],
      [['learn', '--file', file], undefined],
    ] as const) {
      const at = freshPlace()
      const { exit, out, err } = await cli(at(...argv), { stdin })
      expect([exit, err.replace(/^Nothing was learnt from messages\[0\] \(system\)\.\n$/, '')]).toEqual([0, ''])
      expect(out).toMatch(/^add {2}The user lives in Bonn\n +\S+ {2}new \(rules\)$/m)
      expect(out).toMatch(/2 steps in one transaction {2}tx /)
      expect((await cli(at('facts', 'get', 'user.home'))).out).toBe('Bonn\n')
    }
  })

  it('[CLI-50] a dry run shows the plan with the words, writes nothing, and what it answers as JSON is applied', async () => {
    const at = freshPlace()
    const dry = await cli(at('learn', 'My name is Ann and I live in Bonn. It rains.', '--dry-run'))
    expect(dry.out).toMatch(/messages\[0\]: “My name is Ann and I live in Bonn\.”/)
    expect(dry.err).toMatch(/Nothing was written/)
    expect((await cli(at('facts', 'get', 'user.home'))).exit).not.toBe(0)
    const json = await cli(at('learn', 'I live in Bonn.', '--dry-run', '-o', 'json'))
    expect(JSON.parse(json.out)).toMatchObject({ plan: { steps: [{ op: 'add' }, { op: 'add' }] }, ignored: [] })
    expect((await cli(at('apply'), { stdin: json.out })).exit).toBe(0)
    expect((await cli(at('facts', 'get', 'user.home'))).out).toBe('Bonn\n')
    const again = await cli(at('learn', 'I live in Bonn.'))
    expect(again.out).toMatch(/nothing new$/m)
  })

  it('[CLI-50] modes and policies are options; what was not learnt and why is said, or in the JSON', async () => {
    const at = freshPlace()
    const verbatim = await cli(at('learn', said, '--mode', 'verbatim', '-o', 'json'))
    expect(JSON.parse(verbatim.out)).toMatchObject({
      results: [{ op: 'add' }],
      ignored: [{ message: 'messages[0]', reason: 'system' }],
    })
    await cli(at('learn', 'I live in Bonn.'))
    const asked = await cli(at('learn', 'I live in Kiel.', '--on-conflict', 'ask'))
    expect(asked.out).toMatch(/^conflict {2}The user lives in Kiel/m)
    expect((await cli(at('facts', 'get', 'user.home'))).out).toBe('Bonn\n')
  })

  it('[CLI-50] what can’t be read, or is no conversation, is told by its place and writes nothing', async () => {
    const at = freshPlace()
    const failing = async (argv: string[], stdin?: string) => {
      const { exit, err } = await cli(at(...argv), { stdin })
      expect(exit).toBe(2)
      return err
    }
    expect(await failing(['learn', '--file', join(folder, 'nowhere')])).toMatch(/nowhere can't be read \(ENOENT\)/)
    expect(await failing(['learn', 'text', '--file', join(folder, 'chat')])).toMatch(/--file/)
    expect(await failing(['learn'], '{"role": "user", "content": "x"}\n{"role": ]}')).toMatch(/line 2/)
    expect(await failing(['learn'], '[{"role": "user", "content": "x", "id": 1}]')).toMatch(/UNKNOWN_FIELD.*id/)
    expect(await failing(['learn'], '[{"role": "user", "content": "x", "at": "2026-05-01T10:00:00"}]')).toMatch(
      /INVALID_TIME/,
    )
    expect(await failing(['learn', 'x', '--mode', 'model'])).toMatch(/language model/)
    expect(await failing(['learn'])).toMatch(/TEXT/)
  })
})

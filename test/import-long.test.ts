import { readdirSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { BackendError } from '../src/errors/index.ts'
import { idOf, longCount, longLines, recordLine, writeLines } from './fixtures/long-file.ts'
import { open, storeKinds, temporaryFolder } from './fixtures/reference-stores.ts'
import { buildChildren, type Children } from './fixtures/sqlite-children.ts'

const lines = longLines()
const text = lines.join('\n')
const seconds = { timeout: 120_000 }

/** A store whose commits fail after some of them, until told otherwise. */
function failing(store: MemoryStore, after: number): MemoryStore & { left: number } {
  const it = {
    ...store,
    left: after,
    async commit(...given: Parameters<MemoryStore['commit']>) {
      if (it.left-- > 0) return store.commit(...given)
      throw new BackendError({ code: 'BACKEND_FAILED', message: 'the disk is full.' })
    },
  }
  return it
}

async function* inPieces(whole: string): AsyncGenerator<string> {
  for (let start = 0; start < whole.length; start += 100_000) yield whole.slice(start, start + 100_000)
}

describe.each(storeKinds)('a file too long for one transaction, on $name', ({ create }) => {
  const idsIn = async (memory: Awaited<ReturnType<typeof open>>) =>
    (await memory.list({ order: 'oldest', limit: 1000 })).records.map(({ id }) => id)
  const all = Array.from({ length: longCount }, (_, n) => idOf(n))

  it(
    '[IMP-21] is imported whole, in several transactions; a broken row of it is named and nothing is imported',
    seconds,
    async () => {
      const memory = await open({ store: create()() })
      const broken = [...lines.slice(0, 30), '{"type":"record"', ...lines.slice(30)].join('\n')
      await expect(memory.import(broken)).rejects.toMatchObject({ code: 'INVALID_RECORD', details: { row: 31 } })
      await expect(memory.import(lines.slice(0, -1).join('\n'))).rejects.toThrow(/row 39.*cut off/)
      const twice = [...lines.slice(0, 30), lines[1], ...lines.slice(30)].join('\n')
      await expect(memory.import(twice)).rejects.toThrow(/row 31.*twice/)
      const outside = [...lines.slice(0, -2), recordLine(900, { userId: 'bob' }), ...lines.slice(-2)].join('\n')
      await expect(memory.import(outside)).rejects.toThrow(/row 38.*outside/)
      expect(await idsIn(memory)).toEqual([])
      const done: number[] = []
      const answer = await memory.import(text, { onProgress: (n) => done.push(n) })
      expect(answer).toMatchObject({ imported: longCount, updated: 0, skipped: 0, failed: 0, tx: expect.any(String) })
      expect(answer.rows.map(({ row }) => row)).toEqual(lines.slice(1, -1).map((_, i) => i + 2))
      expect(done.at(-1)).toBe(longCount)
      expect(await idsIn(memory)).toEqual(all)
      expect((await memory.neighbors(idOf(0))).links).toHaveLength(1)
      const txs = await Promise.all([0, 20, 35].map(async (n) => (await memory.history(idOf(n)))[0]?.tx))
      expect(txs[0]).toBe(answer.tx)
      expect(new Set(txs).size).toBe(3)
      expect(await memory.import(text)).toMatchObject({ imported: 0, skipped: longCount })
      expect(await memory.verify()).toMatchObject({ ok: true })
    },
  )

  it(
    '[IMP-22] undo of its transaction takes all of it back, or nothing when a record changed since',
    seconds,
    async () => {
      const memory = await open({ store: create()() })
      await memory.add({ id: 'before', content: 'was here before' })
      const { tx } = await memory.import(text)
      const { record } = await memory.update(idOf(20), { importance: 1 })
      await expect(memory.undo(tx as string)).rejects.toMatchObject({ code: 'CONFLICT', details: { ids: [record.id] } })
      expect(await idsIn(memory)).toHaveLength(longCount + 1)
      const dry = await memory.undo(tx as string, { force: true, dryRun: true })
      expect(dry.reverted).toHaveLength(longCount - 1)
      expect(dry.tx).toBeUndefined()
      const call = { force: true, idempotencyKey: 'back' }
      const undone = await memory.undo(tx as string, call)
      expect([...undone.reverted].sort()).toEqual(all.filter((id) => id !== record.id))
      expect([...(await idsIn(memory))].sort()).toEqual(['before', record.id])
      expect(await memory.undo(tx as string, call)).toEqual(undone)
      await expect(memory.undo(tx as string)).rejects.toMatchObject({ code: 'CONFLICT' })
    },
  )

  it('[IMP-23] one that ended half-way says so and goes on when the file is imported again', seconds, async () => {
    const stores = create()
    const store = failing(stores(), 3)
    const memory = await open({ store })
    const failure = await memory.import(text, { idempotencyKey: 'once' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'BACKEND_FAILED', details: { tx: expect.any(String) } })
    const { details, message } = failure as BackendError
    expect(message).toContain(`written and stay, as transaction ${details.tx}`)
    const some = await idsIn(memory)
    expect(some).toEqual(all.slice(0, some.length))
    expect(some.length).toBeGreaterThan(0)
    store.left = 1000
    // With its key the answer is that of a call that did not fail.
    const again = await memory.import(text, { idempotencyKey: 'once' })
    expect(again).toMatchObject({ imported: longCount, skipped: 0, tx: details.tx })
    expect(await memory.import(text, { idempotencyKey: 'once' })).toEqual(again)
    await expect(memory.import(longLines(longCount + 1).join('\n'), { idempotencyKey: 'once' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
    expect(await idsIn(memory)).toEqual(all)
    // What it wrote may be changed by then.
    await memory.update(idOf(2), { content: 'changed since' })
    expect(await memory.import(text, { idempotencyKey: 'once' })).toEqual(again)
    expect((await memory.undo(again.tx as string, { force: true })).reverted).toHaveLength(longCount - 1)
  })

  it('[IMP-23] without a key too: what is there is passed over', seconds, async () => {
    const store = failing(create()(), 2)
    const memory = await open({ store })
    await expect(memory.import(text)).rejects.toMatchObject({ code: 'BACKEND_FAILED' })
    const some = (await idsIn(memory)).length
    store.left = 1000
    expect(await memory.import(text)).toMatchObject({ imported: longCount - some, skipped: some })
    expect(await idsIn(memory)).toEqual(all)
  })

  it('[IMP-24] two imports of it at once leave what one would', seconds, async () => {
    const stores = create()
    const [one, other] = [await open({ store: stores() }), await open({ store: stores() })]
    const answers = await Promise.all([one.import(text), other.import(text)])
    expect(answers.reduce((sum, { imported }) => sum + imported, 0)).toBe(longCount)
    expect(await idsIn(one)).toEqual(all)
    for (const n of [0, 17, 35]) expect(await one.history(idOf(n))).toHaveLength(1)
    const keyed = { idempotencyKey: 'both', ifExists: 'update' } as const
    const newer = longLines(longCount, () => ({ content: 'newer words' })).join('\n')
    const [a, b] = await Promise.all([one.import(newer, keyed), other.import(newer, keyed)])
    expect(a).toEqual(b)
    expect(a).toMatchObject({ updated: longCount })
    for (const n of [0, 17, 35]) expect(await other.history(idOf(n))).toHaveLength(2)
    // Written once, it is taken back once.
    expect((await one.undo(a.tx as string)).reverted).toHaveLength(longCount)
    expect((await one.get(idOf(17)))?.content).toBe('record 17')
  })

  it('[IMP-26] with replace, what is not in the file goes after all else; keys may change hands', seconds, async () => {
    const stores = create()
    const store = failing(stores(), 1000)
    const memory = await open({ store })
    await memory.addMany([
      { id: idOf(0), key: 'home', content: 'was first' },
      { id: idOf(35), key: 'work', content: 'was last' },
      { id: 'gone', key: 'car', content: 'is not in the file' },
    ])
    const keys = new Map([
      [0, 'work'],
      [1, 'car'],
      [35, 'home'],
    ])
    const file = longLines(longCount, (n) => {
      const key = keys.get(n)
      return key === undefined ? {} : { key }
    }).join('\n')
    await expect(memory.import(file, { ifExists: 'update' })).rejects.toThrow(/row 3: .*has this key/)
    store.left = 2
    await expect(memory.import(file, { mode: 'replace' })).rejects.toMatchObject({ code: 'BACKEND_FAILED' })
    expect((await memory.get('gone'))?.content).toBe('is not in the file')
    store.left = 1000
    expect(await memory.import(file, { mode: 'replace' })).toMatchObject({ failed: 0 })
    expect(await memory.get('gone')).toBeNull()
    expect([...(await idsIn(memory))].sort()).toEqual(all)
    const { records } = await memory.list({ filter: { 'record.key': { exists: true } } })
    expect(new Map(records.map(({ id, key }) => [id, key]))).toEqual(
      new Map([...keys].map(([n, key]) => [idOf(n), key])),
    )
  })
})

describe('a long file as it is read', () => {
  let children: Children
  beforeAll(async () => {
    children = await buildChildren()
  })
  afterAll(() => children.remove())

  it(
    '[IMP-25] what comes once is kept beside the data while it is imported, and leaves nothing there',
    seconds,
    async () => {
      const path = join(temporaryFolder(), 'memory.db')
      const memory = await open({ path })
      const around = () => readdirSync(dirname(path)).filter((name) => !name.startsWith(`${basename(path)}-`))
      const seen = new Set<string>()
      async function* watched() {
        for await (const piece of inPieces(text)) {
          for (const name of readdirSync(dirname(path))) seen.add(name)
          yield piece
        }
      }
      expect(await memory.import(watched())).toMatchObject({ imported: longCount, failed: 0 })
      expect([...seen].filter((name) => name.endsWith('.tmp'))).toEqual([])
      expect(around()).toEqual(['memory.db'])
      const broken = [...lines.slice(0, 38), 'null', ...lines.slice(38)].join('\n')
      await expect(memory.import(inPieces(broken), { ifExists: 'update' })).rejects.toThrow(/row 39/)
      expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.tmp'))).toEqual([])
      const inMemory = await open({})
      expect(await inMemory.import(inPieces(text))).toMatchObject({ imported: longCount })
    },
  )

  it('[IMP-27] a dry run of it reports every row, has no plan and writes nothing', seconds, async () => {
    const memory = await open({})
    const file = [...lines.slice(0, 38), recordLine(3), ...lines.slice(38)].join('\n')
    const report = await memory.import(file, { dryRun: true })
    expect(report).toMatchObject({ imported: longCount, failed: 2 })
    expect(report.plan).toBeUndefined()
    expect(report.rows.filter(({ outcome }) => outcome === 'failed').map(({ row }) => row)).toEqual([39, 41])
    expect((await memory.list()).records).toEqual([])
  })

  it(
    '[IMP-28] a file that changes after it was checked is CONFLICT before anything of the change is imported',
    seconds,
    async () => {
      const path = join(temporaryFolder(), 'export.jsonl')
      await writeLines(path, lines)
      const memory = await open({})
      let calls = 0
      const bytes = await readFile(path)
      const changed = Buffer.from(bytes)
      changed.write('CHANGED', bytes.indexOf('record 30'))
      // While it is checked nothing is heard: the first part is written by then.
      const onProgress = () => {
        if (calls++ === 0) writeFileSync(path, changed)
      }
      const attempt = memory.import({ path }, { onProgress })
      await expect(attempt).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('file changed'),
      })
      const { records } = await memory.list({ limit: 1000 })
      expect(records.some(({ content }) => content.includes('CHANGED'))).toBe(false)
    },
  )

  it('[IMP-23] killed half-way and imported again, all of it is there once', seconds, async () => {
    const folder = temporaryFolder()
    const [path, file] = [join(folder, 'memory.db'), join(folder, 'export.jsonl')]
    await writeLines(file, lines)
    const child = children.start('import', path, file)
    await child.nextLine()
    child.process.kill('SIGKILL')
    await child.ended
    const half = await open({ path })
    const { total } = await half.stats()
    expect(total).toBeGreaterThan(0)
    expect(total).toBeLessThan(longCount)
    expect(await half.verify()).toMatchObject({ ok: true })
    const again = await half.import({ path: file })
    expect(again).toMatchObject({ imported: longCount - total, skipped: total, failed: 0 })
    expect((await half.stats()).total).toBe(longCount)
    expect((await half.history(idOf(0))).length).toBe(1)
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('[IMP-29] a file much larger than the memory of the process is imported', seconds, async () => {
    const folder = temporaryFolder()
    const [path, file] = [join(folder, 'memory.db'), join(folder, 'export.jsonl')]
    await writeLines(file, longLines(4 * longCount))
    const child = children.start('import', path, file, '96')
    expect(await child.ended).toBe(0)
    expect(JSON.parse(child.lines.at(-1) as string)).toMatchObject({ imported: 4 * longCount, failed: 0 })
  })

  it('[IMP-30] only a line feed ends a line', async () => {
    const memory = await open({})
    const content = 'one\u2028two\u2029three\rfour\r\nfive \ud83d\ude00 six\ud83d'
    const { record } = await memory.add(content)
    const exported: string[] = []
    for await (const line of memory.export()) exported.push(line)
    const path = join(temporaryFolder(), 'export.jsonl')
    // A reader of lines may have left a carriage return, and a lone surrogate unescaped.
    const raw = exported.join('').replaceAll('\n', '\r\n').replace('\\ud83d', '\ud83d')
    await writeFile(path, exported.join(''))
    async function* characters() {
      for (let i = 0; i < raw.length; i++) yield raw[i] as string
    }
    for (const source of [{ path }, raw, characters()]) {
      const other = await open({})
      expect(await other.import(source)).toMatchObject({ imported: 1 })
      expect((await other.get(record.id))?.content).toBe(content)
    }
  })
})

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../../../test/fixtures/cli.ts'
import type { Check } from './doctor/check.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-doctor-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function doctor(db: string, ...more: string[]) {
  const { exit, out, err } = await cli(['doctor', '--db', db, '-o', 'json', ...more])
  expect(err).toBe('')
  const answer = JSON.parse(out) as { ok: boolean; db: string; checks: Check[] }
  const problems = answer.checks.filter(({ status }) => status === 'problem')
  expect({ exit, ok: answer.ok, db: answer.db }).toEqual({
    exit: problems.length === 0 ? 0 : 5,
    ok: problems.length === 0,
    db,
  })
  return { problems, named: (name: string) => answer.checks.filter((check) => check.name === name) }
}

async function filled(name: string): Promise<string> {
  const db = join(folder, name)
  await cli(['add', 'Ann plays the cello', '--user', 'ann', '--db', db])
  return db
}

describe('mneme doctor', () => {
  it('[CLI-10] a sound installation is well, and the file that is not there is not made', async () => {
    const db = join(folder, 'not', 'yet.db')
    const { problems, named } = await doctor(db)
    expect(problems).toEqual([])
    expect(named('file')[0]?.message).toContain('not there yet')
    expect(named('Node.js')[0]?.message).toContain(process.version)
    expect(named('SQLite').some(({ status }) => status === 'ok')).toBe(true)
    expect(named('embedder')[0]).toMatchObject({ status: 'ok' })
    expect(named('disk')[0]).toMatchObject({ status: 'ok' })
    expect(() => statSync(join(folder, 'not'))).toThrow('ENOENT')
  })

  it('[CLI-10] a memory is opened and counted, and read through with --deep', async () => {
    const db = await filled('memory.db')
    const { problems, named } = await doctor(db, '--deep')
    expect(problems).toEqual([])
    expect(named('file')[0]?.message).toMatch(/schema version \d/)
    expect(named('contents')[0]?.message).toContain('with 1 record')
    expect(named('verify')).toEqual([{ name: 'verify', status: 'ok', message: 'every index agrees with 1 record' }])
  })

  it('[CLI-10] in words: what is wrong and what to do', async () => {
    const db = join(folder, 'letter.db')
    const letter = 'Dear Ann, '.repeat(100)
    writeFileSync(db, letter)
    const { exit, out } = await cli(['doctor', '--db', db])
    expect(exit).toBe(5)
    expect(out).toMatch(/^✗ file +not a mneme memory: .*letter\.db is no database.*\n.*→ .*Choose another path/m)
    expect(out).toContain('One thing is wrong.')
    expect(out).not.toMatch(/schema version|contents/)
    expect(readFileSync(db, 'utf8')).toBe(letter)
  })

  it("[CLI-10] another program's database is told apart from a damaged memory, and an empty file is neither", async () => {
    const db = join(folder, 'shop.db')
    const database = new DatabaseSync(db)
    database.exec('CREATE TABLE orders (id INTEGER); PRAGMA user_version = 7')
    database.close()
    const { out } = await cli(['doctor', '--db', db])
    expect(out).toMatch(/^✗ contents +not a mneme memory: .*shop\.db is another program's database$/m)
    expect(out).toContain('One thing is wrong.')
    expect(out).not.toContain('schema version')
    const empty = join(folder, 'empty.db')
    writeFileSync(empty, '')
    const { problems, named } = await doctor(empty)
    expect(problems).toEqual([])
    expect(named('file')[0]?.message).toContain('empty')
    expect(statSync(empty).size).toBe(0)
  })

  it('[CLI-10] a folder in place of the file, a file of a later mneme', async () => {
    const place = join(folder, 'folder.db')
    mkdirSync(place)
    expect((await doctor(place)).problems).toMatchObject([{ name: 'file', message: 'is not a file' }])
    const db = await filled('later.db')
    const database = new DatabaseSync(db)
    database.exec('PRAGMA user_version = 99')
    database.close()
    expect((await doctor(db)).problems).toMatchObject([{ name: 'contents', advice: 'Update mneme.' }])
  })

  it('[CLI-10] a process that holds the file', async () => {
    const db = await filled('busy.db')
    const database = new DatabaseSync(db)
    database.exec('BEGIN IMMEDIATE')
    const { problems } = await doctor(db)
    database.exec('ROLLBACK')
    database.close()
    expect(problems).toMatchObject([{ name: 'lock', message: expect.stringContaining('another process') }])
  })

  it('[CLI-10] contents that were damaged', async () => {
    const db = await filled('damaged.db')
    writeFileSync(db, readFileSync(db, 'latin1').replaceAll('cello', 'viola'), 'latin1')
    const { problems } = await doctor(db, '--deep')
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.every(({ name, advice }) => name === 'verify' && advice !== undefined)).toBe(true)
    expect(JSON.stringify(problems)).not.toContain('viola')
  })
})

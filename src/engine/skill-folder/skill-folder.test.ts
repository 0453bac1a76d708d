import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MemoryStore } from '../../contract/index.ts'
import { memory as memoryStore } from '../../stores/memory/index.ts'
import { sqlite } from '../../stores/sqlite/index.ts'
import { fixedClock } from '../../testing/index.ts'
import { type MemoryEngine, openMemory } from '../index.ts'
import { folderNames } from './folder-name.ts'

const ann = { userId: 'ann' }
const bob = { userId: 'bob' }

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mneme-skill-folder-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

let count = 0
const stores: Record<string, () => MemoryStore> = {
  memory: memoryStore,
  sqlite: () => sqlite({ path: join(root, `${++count}.db`) }),
}

/** A new folder with these files in it. */
async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = join(root, `folder-${++count}`)
  await mkdir(folder)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(paths.sort().map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')])),
  )
}

const pdf = '---\nname: pdf\ndescription: Fills in forms\n---\n\n# Forms\n\nRun scripts/fill.py.\n'
const csv = '---\nname: csv\ndescription: Cleans tables\nlicense: MIT\n---\n\nRead it.\n'

describe.each(Object.entries(stores))('folders of skills on the %s store', (_name, makeStore) => {
  let engine: MemoryEngine
  beforeEach(async () => {
    engine = await openMemory({ store: makeStore(), scope: ann, embedder: false, clock: fixedClock() })
    return () => engine.close()
  })
  const namesIn = async (scope: object) =>
    (await engine.list({ scope, kinds: ['procedural'], order: 'oldest' })).records.map(({ key }) => key)

  it('[SKL-18] every SKILL.md is learned in one transaction, row by row; what belongs to no skill is named', async () => {
    const folder = await folderOf({
      'pdf/SKILL.md': pdf,
      'pdf/scripts/fill.py': 'print()',
      'pdf/more/SKILL.md': csv,
      'data/csv/SKILL.md': csv,
      'README.md': 'about',
    })
    const first = await engine.skills.import(folder)
    expect(first).toMatchObject({ imported: 2, unchanged: 0, failed: 0, tx: expect.any(String) })
    expect(first.rows).toEqual([
      { path: 'data/csv/SKILL.md', outcome: 'added', name: 'csv', id: expect.any(String), ignored: ['license'] },
      {
        path: 'pdf/SKILL.md',
        outcome: 'added',
        name: 'pdf',
        id: expect.any(String),
        files: ['more/SKILL.md', 'scripts/fill.py'],
      },
    ])
    expect(first.leftOut).toEqual(['README.md'])
    const again = await engine.skills.import(folder)
    expect(again).toMatchObject({ imported: 0, unchanged: 2, failed: 0 })
    await writeFile(join(folder, 'pdf/SKILL.md'), pdf.replace('Run', 'Start'))
    const next = await engine.skills.import(folder)
    expect(next.rows.map(({ outcome }) => outcome)).toEqual(['duplicate', 'superseded'])
    expect((await engine.skills.versions('pdf')).versions).toHaveLength(2)
    await engine.undo(next.tx as string)
    await engine.undo(first.tx as string).catch(() => undefined)
    expect((await engine.skills.versions('pdf')).versions.length).toBeLessThan(2)
  })

  it('[SKL-18] what can not be read is reported and hides no other', async () => {
    const folder = await folderOf({
      'a/SKILL.md': 'no front matter',
      'b/SKILL.md': Buffer.from([0x2d, 0xff, 0xfe]),
      'c/SKILL.md': '---\nname: ""\ndescription: x\n---\n',
      'd/SKILL.md': `---\nname: d\ndescription: d\n---\n${'x'.repeat(1_100_000)}`,
      'e/SKILL.md': pdf,
      'f/SKILL.md': pdf.replace('Fills', 'Prints'),
    })
    const { rows, imported, failed } = await engine.skills.import(folder)
    expect([imported, failed]).toEqual([1, 5])
    expect(rows.map(({ path, outcome, reason }) => [path[0], outcome, reason ?? ''])).toEqual([
      ['a', 'failed', expect.stringContaining('front matter')],
      ['b', 'failed', 'is no UTF-8 text'],
      ['c', 'failed', expect.stringContaining('SKILL.md.name')],
      ['d', 'failed', 'is larger than 1024 KiB'],
      ['e', 'added', ''],
      ['f', 'failed', 'e/SKILL.md has the same name'],
    ])
    expect(await namesIn(ann)).toEqual(['pdf'])
  })

  it('[SKL-18] links are not followed, wherever they are', async () => {
    const outside = await folderOf({ 'secret/SKILL.md': pdf.replace('name: pdf', 'name: secret') })
    const folder = await folderOf({ 'csv/SKILL.md': csv, 'empty/note.txt': '' })
    await symlink(join(outside, 'secret'), join(folder, 'linked'))
    await symlink(join(outside, 'secret/SKILL.md'), join(folder, 'empty/SKILL.md'))
    await symlink(folder, join(folder, 'csv/loop'))
    const { rows, leftOut } = await engine.skills.import(folder)
    expect(rows.map(({ name }) => name)).toEqual(['csv'])
    expect(leftOut).toEqual(['csv/loop', 'empty/SKILL.md', 'empty/note.txt', 'linked'])
  })

  it('[SKL-18] a skill alone is a folder too; what is no folder is refused; a dry run writes nothing', async () => {
    const folder = await folderOf({ 'SKILL.md': pdf, 'run.sh': 'true' })
    const dry = await engine.skills.import(folder, { dryRun: true })
    expect(dry).toMatchObject({ imported: 1, plan: { steps: [{ op: 'add' }] } })
    expect(await namesIn(ann)).toEqual([])
    expect(await engine.skills.import(folder, { scope: bob })).toMatchObject({ imported: 1, leftOut: [] })
    expect([await namesIn(ann), await namesIn(bob)]).toEqual([[], ['pdf']])
    for (const path of [join(folder, 'run.sh'), join(folder, 'none')]) {
      await expect(engine.skills.import(path)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  it('[SKL-18] texts beside a SKILL.md are kept with it and go on with its versions; what is no text, large or hidden is named', async () => {
    const folder = await folderOf({
      'pdf/SKILL.md': pdf,
      'pdf/scripts/fill.py': 'print()\n',
      'pdf/reference.md': '\ufeffTables\r\n',
      'pdf/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
      'pdf/latin1.txt': Buffer.from([0xe4]),
      'pdf/large.txt': 'x'.repeat(262_145),
      'pdf/.env': 'SECRET=1',
      'pdf/.git/config': '',
      'pdf/node_modules/x/index.js': '',
      'pdf/__proto__': 'x',
    })
    const { rows, leftOut } = await engine.skills.import(folder)
    expect(rows[0]?.files).toEqual(['reference.md', 'scripts/fill.py'])
    expect(leftOut).toEqual(
      ['.env', '.git/', '__proto__', 'large.txt', 'latin1.txt', 'logo.png', 'node_modules/'].map(
        (name) => `pdf/${name}`,
      ),
    )
    const kept = async () => (await engine.list({ kinds: ['procedural'] })).records[0]?.metadata.skillFiles
    expect(await kept()).toEqual({ 'reference.md': '\ufeffTables\r\n', 'scripts/fill.py': 'print()\n' })
    await engine.skills.learn({ name: 'pdf', trigger: 'fill in a form', steps: ['another way'] })
    expect(Object.keys((await kept()) as object)).toHaveLength(2)
    const out = join(root, `out-${++count}`)
    await engine.skills.export(out)
    const { 'pdf/SKILL.md': _, ...beside } = await filesOf(out)
    expect(beside).toEqual({ 'pdf/reference.md': '\ufeffTables\r\n', 'pdf/scripts/fill.py': 'print()\n' })
  })

  it('[SKL-18] when only the files beside it change, the skill has no new version', async () => {
    const folder = await folderOf({ 'pdf/SKILL.md': pdf, 'pdf/run.sh': 'one' })
    await engine.skills.import(folder)
    await writeFile(join(folder, 'pdf/run.sh'), 'two')
    expect((await engine.skills.import(folder)).rows[0]).toMatchObject({ outcome: 'updated', files: ['run.sh'] })
    expect((await engine.skills.import(folder)).rows[0]?.outcome).toBe('duplicate')
    await rm(join(folder, 'pdf/run.sh'))
    expect((await engine.skills.import(folder)).rows[0]?.outcome).toBe('updated')
    const { records } = await engine.list({ kinds: ['procedural'] })
    expect([records.length, records[0]?.metadata]).toEqual([1, {}])
    expect((await engine.skills.versions('pdf')).versions).toHaveLength(1)
  })

  it('[SKL-19] paths that lead out of a skill are never written, however they got into a memory', async () => {
    const { record } = await engine.skills.learn({ name: 'pdf', trigger: 'fill in a form' })
    const paths = [
      '../out.txt',
      'a/../../out.txt',
      '/out.txt',
      'C:/out.txt',
      'a\\out.txt',
      '.bashrc',
      'a/.ssh/x',
      '',
      'skill.md',
      'a//b',
    ]
    const skillFiles = { ...Object.fromEntries(paths.map((path) => [path, 'x'])), 'ok/fine.txt': 'x', number: 1 }
    await engine.update(record.id, { metadata: { skillFiles } })
    const out = join(root, `out-${++count}`, 'in')
    expect(await engine.skills.export(out)).toMatchObject({ written: 1, failed: 0 })
    expect(Object.keys(await filesOf(dirname(out)))).toEqual(['in/pdf/SKILL.md', 'in/pdf/ok/fine.txt'])
    await engine.update(record.id, { metadata: { skillFiles: ['x'] } })
    expect(await engine.skills.export(join(root, `out-${++count}`))).toMatchObject({ written: 1, failed: 0 })
  })

  it('[SKL-18] files are of the engine: a view has no such verb', () => {
    const view = engine.scoped(ann) as unknown as { skills: Record<string, unknown> }
    expect([view.skills.import, view.skills.export]).toEqual([undefined, undefined])
    expect(typeof view.skills.learn).toBe('function')
  })

  it('[SKL-19] what was written is read again as the same skills, and written again as the same files', async () => {
    await engine.skills.learn({
      name: 'refund',
      trigger: 'customer wants a refund',
      description: 'Pays back: "all" of it',
      steps: [
        'look up the order',
        { tool: 'pay', arguments: { reason: 'refund', amount: 3 }, notes: 'once' },
        '  '.concat('x'),
      ],
      preconditions: ['order is paid'],
      expectedOutcome: 'money is back',
      examples: [{ inputs: { order: 17 }, outputs: { paid: true }, occurredAt: '2026-05-01T09:00:00Z' }],
    })
    await engine.skills.learn({ name: 'refund', trigger: 'customer wants a refund', steps: ['ask a colleague'] })
    await engine.skills.report('refund', { success: true, example: { inputs: {}, outputs: {} } })
    await engine.skills.learn({ name: '../../etc/passwd', trigger: 'climb out', steps: ['no'] })
    await engine.skills.learn({ name: 'Ärger, überall!', trigger: 'complain' })
    await engine.skills.learn({ name: 'ärger überall', trigger: 'complain again' })
    await engine.skills.learn({ name: '///', trigger: 'nothing to call it by' })
    const out = join(root, `out-${++count}`, 'deeper')
    const written = await engine.skills.export(out)
    expect(written).toMatchObject({ written: 5, unchanged: 0, failed: 0 })
    expect(written.rows.map(({ path }) => path).sort()).toEqual([
      'etc-passwd/SKILL.md',
      'refund/SKILL.md',
      'skill/SKILL.md',
      'ärger-überall-2/SKILL.md',
      'ärger-überall/SKILL.md',
    ])
    expect(await engine.skills.import(out, { scope: bob })).toMatchObject({ imported: 5, failed: 0, leftOut: [] })
    for (const { name } of written.rows) {
      const newest = async (scope: object) => (await engine.skills.versions(name, { scope })).versions.at(-1)
      expect(await newest(bob)).toEqual(await newest(ann))
    }
    const copy = join(root, `out-${++count}`)
    await engine.skills.export(copy, { scope: bob })
    expect(await filesOf(copy)).toEqual(await filesOf(out))
    expect(await engine.skills.import(out)).toMatchObject({ imported: 0, unchanged: 5 })
  })

  it('[SKL-19] what is there and says something else stays, unless it is to be replaced; other files always do', async () => {
    await engine.skills.learn({ name: 'pdf', trigger: 'fill in a form', steps: ['open it'] })
    const folder = await folderOf({ 'pdf/SKILL.md': pdf, 'pdf/run.sh': 'true' })
    const kept = await engine.skills.export(folder)
    expect(kept).toMatchObject({ written: 0, failed: 1, rows: [{ reason: expect.stringContaining('overwrite') }] })
    expect((await filesOf(folder))['pdf/SKILL.md']).toBe(pdf)
    expect(await engine.skills.export(folder, { overwrite: true })).toMatchObject({ written: 1, failed: 0 })
    expect(await engine.skills.export(folder)).toMatchObject({ written: 0, unchanged: 1, failed: 0 })
    const after = await filesOf(folder)
    expect(after).toEqual({ 'pdf/SKILL.md': await engine.skills.toMarkdown('pdf'), 'pdf/run.sh': 'true' })
  })

  it('[SKL-19] nothing is written through a link', async () => {
    await engine.skills.learn({ name: 'pdf', trigger: 'fill in a form' })
    await engine.skills.learn({ name: 'csv', trigger: 'clean a table' })
    const outside = await folderOf({ 'SKILL.md': 'mine' })
    const folder = await folderOf({ 'csv/x': '' })
    await symlink(outside, join(folder, 'pdf'))
    await symlink(join(outside, 'SKILL.md'), join(folder, 'csv/SKILL.md'))
    const deep = await engine.skills.learn({ name: 'deep', trigger: 'go deep' })
    await engine.update(deep.record.id, { metadata: { skillFiles: { 'link/x.txt': 'x' } } })
    await mkdir(join(folder, 'deep'))
    await symlink(outside, join(folder, 'deep/link'))
    expect(await engine.skills.export(folder, { overwrite: true })).toMatchObject({ written: 0, failed: 3 })
    expect(await filesOf(outside)).toEqual({ 'SKILL.md': 'mine' })
    await expect(engine.skills.export(join(outside, 'SKILL.md'))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

describe('names of folders', () => {
  it('[SKL-19] are names on every system, never paths, and no two alike', () => {
    expect(folderNames(['a/b', 'A b', '..', 'con', 'x'.repeat(500)])).toEqual([
      'a-b',
      'a-b-2',
      'skill',
      'con-skill',
      'x'.repeat(64),
    ])
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 80 })), (names) => {
        const folders = folderNames(names)
        expect(new Set(folders.map((folder) => folder.toLowerCase())).size).toBe(names.length)
        for (const folder of folders) expect(folder).toMatch(/^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u)
      }),
    )
  })
})

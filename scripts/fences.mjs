// Runs the examples of README.md and docs/**/*.md, so that none of them can be wrong. Needs a build.
//
//   node scripts/fences.mjs [FILE…]
//
// What a fence's info string means:
//   ```ts            a program: type-checked, then run in an empty folder
//   ```ts continues  goes on where the ts fence before it ended: one program (its imports may repeat)
//   ```ts not-run    type-checked only: needs a key, a server or another package's account
//   ```js            a program, run as it is (continues, not-run as above, without the type check)
//   ```sh            run by bash when a line of it starts with `mneme` or `npx mneme` (or pipes into it); all of a page share a folder
//                    and a home; other sh fences (npm install …) and `sh not-run` are left alone
//   ```text output   what the fence before it printed. Ids, times, durations and spaces at line ends don't count; `…` stands
//                    for anything in a line, a line of only `…` for any lines
// Everything else (json, text, yaml …) is prose. `typescript`, `javascript`, `bash`, `shell` and `console` are refused:
// they look the same and would not be run.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { createChecks, installed, root, run, runOrThrow, whenProgram } from './run-command.mjs'

const refused = new Set(['typescript', 'javascript', 'bash', 'shell', 'console'])
const startsMneme = /(?:^|\|[ \t]*)(?:npx )?mneme\b/m

/** All fences of a page: language, words after it, line number, text. */
export function fencesOf(markdown) {
  const fences = []
  let open = null
  for (const [index, line] of markdown.split('\n').entries()) {
    const mark = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(line)
    if (open === null && mark) {
      const [language = '', ...words] = mark[3].trim().split(/\s+/)
      open = { language, words, line: index + 1, indent: mark[1].length, mark: mark[2], lines: [] }
    } else if (open !== null && mark && mark[3] === '' && mark[2].startsWith(open.mark)) {
      const { indent, lines, mark: _, ...rest } = open
      fences.push({
        ...rest,
        text: `${lines.map((one) => one.slice(Math.min(indent, one.search(/\S|$/)))).join('\n')}\n`,
      })
      open = null
    } else if (open !== null) open.lines.push(line)
  }
  if (open !== null) throw new Error(`line ${open.line}: the fence is never closed`)
  return fences
}

/** Programs of a page in order: `{ language, line, text, run, expected? }`. */
export function programsOf(fences) {
  const programs = []
  let last = null
  for (const fence of fences) {
    if (refused.has(fence.language)) {
      throw new Error(`line ${fence.line}: write ts, js, sh or text instead of ${fence.language}`)
    }
    if (fence.language === 'text' && fence.words.includes('output')) {
      if (last === null) throw new Error(`line ${fence.line}: no fence before this output`)
      last.expected = (last.expected ?? '') + fence.text
      continue
    }
    if (!['ts', 'js', 'sh'].includes(fence.language)) continue
    const unknown = fence.words.find((word) => !['continues', 'not-run'].includes(word))
    if (unknown) throw new Error(`line ${fence.line}: unknown word ${unknown} after ${fence.language}`)
    if (fence.words.includes('continues')) {
      const before = programs.findLast((one) => one.language === fence.language)
      if (!before || fence.language === 'sh') throw new Error(`line ${fence.line}: nothing to continue`)
      before.text += `\n${fence.text}`
      last = before
      continue
    }
    const isRun = !fence.words.includes('not-run') && (fence.language !== 'sh' || startsMneme.test(fence.text))
    last = { language: fence.language, line: fence.line, text: fence.text, run: isRun }
    programs.push(last)
  }
  return programs
}

/** A later fence may repeat an import of an earlier one: each imported line is kept once, at the top. */
function asModule(text) {
  const imports = new Set()
  const body = text.replace(/^import\s[^;]*?from\s+'[^']+';?$|^import\s+'[^']+';?$/gm, (found) => {
    imports.add(found)
    return ''
  })
  return `${[...imports].join('\n')}\n${body}\nexport {}\n`
}

const masks = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, '<duration>'],
]
const masked = (text) =>
  masks
    .reduce((result, [pattern, name]) => result.replace(pattern, name), text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()

/** Whether the printed text is what the page says, loosely as described at the top. */
export function isExpected(expected, actual) {
  const quote = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = masked(expected)
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\n)*?(?:.*)' : line.split('…').map(quote).join('.*')))
    .join('\n')
  return new RegExp(`^${pattern}$`).test(masked(actual))
}

async function pages() {
  const docs = await readdir(join(root, 'docs'), { recursive: true }).catch(() => [])
  const found = docs.filter((name) => name.endsWith('.md')).map((name) => join(root, 'docs', name))
  return [join(root, 'README.md'), ...found.sort()]
}

/** Commands for sh fences: this build as `mneme`, also behind npx. */
async function writeCommands(folder) {
  const main = join(root, 'dist', 'cli', 'main.js')
  await mkdir(folder)
  await writeFile(join(folder, 'mneme'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 })
  await writeFile(join(folder, 'npx'), '#!/bin/sh\n[ "$1" = mneme ] && shift && exec mneme "$@"\nexit 127\n', {
    mode: 0o755,
  })
}

/** Compiles all ts programs at once. Each must have its types right; the emitted JavaScript lies beside it. */
async function compile(folder, files) {
  if (files.length === 0) return new Map()
  const options = {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmitOnError: false,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
  const { output } = await run(
    [process.execPath, installed('typescript', 'bin', 'tsc'), '--pretty', 'false', '-p', folder],
    { cwd: folder },
  )
  const errors = new Map()
  for (const line of output.split('\n')) {
    const file = /^([^(]+)\(\d+,\d+\): error/.exec(line)?.[1] ?? (line.startsWith('error') ? '*' : null)
    if (file) errors.set(file, `${errors.get(file) ?? ''}${line}\n`)
  }
  return errors
}

/** Runs all programs of the pages. @returns counts of programs, a page that can't be read counts as one */
export async function runFences(files = []) {
  const { check, counts } = createChecks()
  const folder = await mkdtemp(join(tmpdir(), 'mneme-fences-'))
  try {
    await mkdir(join(folder, 'node_modules'))
    await symlink(root, join(folder, 'node_modules', 'mneme'), 'junction')
    await symlink(installed('@types'), join(folder, 'node_modules', '@types'), 'junction')
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }')
    await writeCommands(join(folder, 'bin'))

    const programs = []
    for (const path of files.length > 0 ? files : await pages()) {
      const page = relative(root, path)
      try {
        const found = programsOf(fencesOf(await readFile(path, 'utf8')))
        const home = await mkdtemp(join(folder, 'page-'))
        for (const program of found) {
          const name = `${page.replace(/\W+/g, '-')}-${program.line}`
          programs.push({
            ...program,
            name: `${page}:${program.line} ${program.language}`,
            file: `${name}.${program.language}`,
            home,
          })
        }
      } catch (error) {
        await check(page, () => Promise.reject(error))
      }
    }
    for (const { language, file, text } of programs) {
      await writeFile(join(folder, file), language === 'sh' ? text : asModule(text))
    }
    const errors = await compile(
      folder,
      programs.filter(({ language }) => language === 'ts').map(({ file }) => file),
    )

    let leftAlone = 0
    for (const program of programs) {
      if (!program.run && program.language !== 'ts') {
        leftAlone += 1
        continue
      }
      await check(program.run ? program.name : `${program.name} (types only)`, async () => {
        const wrong = (errors.get('*') ?? '') + (errors.get(program.file) ?? '')
        if (program.language === 'ts' && wrong) throw new Error(wrong)
        if (!program.run) return
        const own = program.language === 'sh' ? program.home : await mkdtemp(join(folder, 'program-'))
        const path = join(folder, program.file.replace(/\.ts$/, '.js'))
        const command = program.language === 'sh' ? ['bash', '-euo', 'pipefail', path] : [process.execPath, path]
        const { output } = await runOrThrow(command, {
          cwd: own,
          env: { HOME: own, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`, NO_COLOR: '1' },
          seconds: 60,
        })
        if (program.expected !== undefined && !isExpected(program.expected, output)) {
          throw new Error(`printed\n${output}\nand not, as the page says,\n${program.expected}`)
        }
      })
    }
    if (leftAlone > 0) console.log(`  (${leftAlone} fences are no mneme commands, or marked not-run)`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return counts
}

await whenProgram(import.meta.url, runFences)

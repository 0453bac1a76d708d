import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

// Lint rules that the code relies on are easily lost: one is a nursery rule, one depends on paths. Each wrong sample must be
// reported under the project's own configuration; the right one beside it must not.

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mneme-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const samples: Record<string, string> = {
  'src/engine/index.ts': 'export async function save(): Promise<void> {}\n',
  'src/engine/floating.ts': "import { save } from './index.ts'\n\nexport function lose(): void {\n  save()\n}\n",
  'src/engine/awaited.ts':
    "import { save } from './index.ts'\n\nexport async function keep(): Promise<void> {\n  await save()\n}\n",
  'src/model/upwards.ts': "import { save } from '../engine/index.ts'\n\nexport const wrong = save\n",
  'src/cli/past-the-door.ts': "import { keep } from '../engine/awaited.ts'\n\nexport const wrong = keep\n",
  'src/cli/through-the-door.ts': "import { save } from '../engine/index.ts'\n\nexport const right = save\n",
  'src/engine/talks.ts': "export function talk(): void {\n  console.log('x')\n}\n",
}

function diagnostics(): string[] {
  for (const name of ['biome.json', '.gitignore']) cpSync(join(root, name), join(folder, name))
  for (const [path, text] of Object.entries(samples)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=json', 'src'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const report = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] }
  return report.diagnostics.map(({ category, location }) => `${location.path} ${category}`).sort()
}

test('[PIN-3] floating promises, console, wrong-way imports and imports past a door are reported', () => {
  expect(diagnostics()).toEqual([
    'src/cli/past-the-door.ts lint/style/noRestrictedImports',
    'src/engine/floating.ts lint/nursery/noFloatingPromises',
    'src/engine/talks.ts lint/suspicious/noConsole',
    'src/model/upwards.ts lint/style/noRestrictedImports',
  ])
})

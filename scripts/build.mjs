// npm run build: declarations by tsc, JavaScript by rolldown, both into an empty dist.
//
// Rolldown joins the some two hundred modules of mneme and zod into a few: Node needs longer to find and load small files than
// to run what is in them, and `import 'mneme'` and the command line would spend most of their time on it. Nothing is minified.
// Files that mneme reads beside its code are found by counting steps up from the module, so what is joined must lie as deep
// as it did: shared pieces go to dist/shared/code. scripts/pack-check.mjs tries it out.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { installed, root, run } from './run-command.mjs'
import { subPaths } from './sub-paths.mjs'

async function bundle() {
  const { build } = await import('rolldown')
  const entries = ['index', ...(await subPaths()).map((path) => `${path}/index`), 'cli/main', 'cli/output/why']
  const present = entries.filter((entry) => existsSync(join(root, 'src', `${entry}.ts`)))
  await build({
    cwd: root,
    input: Object.fromEntries(present.map((entry) => [entry, `src/${entry}.ts`])),
    platform: 'node',
    // Dependencies stay what they are, zod aside: of its 120 modules only a part is used. Helpers for newer syntax come along.
    external: (id) => !/^[.\0]/.test(id) && !isAbsolute(id) && !/^(?:zod|@oxc-project\/runtime)(?:\/|$)/.test(id),
    transform: { target: 'node20.19' },
    logLevel: 'warn',
    output: {
      dir: 'dist',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'shared/code/[name]-[hash].js',
    },
  })
}

await rm(join(root, 'dist'), { recursive: true, force: true })
const tsc = [process.execPath, installed('typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json']
const { code } = await run(tsc, { show: true })
await bundle()
process.exitCode = code

// Compiles the vector kernel and writes it, as text, to src/vector/kernel/wasm-bytes.ts:
//
//   node vector-kernel/build.mjs
//
// Needs the dev dependency `assemblyscript`. The result is checked in, so that neither building nor using mneme needs it; a test
// compares the two.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { argv, stdout } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const source = new URL('./kernel.ts', import.meta.url)
const target = new URL('../src/vector/kernel/wasm-bytes.ts', import.meta.url)
const options = [
  ...['--runtime', 'stub', '--use', 'abort=', '--importMemory', '--noExportMemory', '--initialMemory', '1'],
  ...['--enable', 'simd', '--optimizeLevel', '3', '--shrinkLevel', '0', '--converge', '--noAssert'],
]

/** The bytes that the source gives. */
export async function compileKernel() {
  const { default: asc } = await import('assemblyscript/asc')
  const text = await readFile(source, 'utf8')
  let bytes
  const { error, stderr } = await asc.main(['kernel.ts', '--outFile', 'kernel.wasm', ...options], {
    readFile: (name) => (name === 'kernel.ts' ? text : null),
    writeFile: (name, contents) => {
      if (name === 'kernel.wasm') bytes = contents
    },
    listFiles: () => [],
  })
  if (error) throw new Error(`The kernel does not compile.\n${stderr.toString()}`, { cause: error })
  return bytes
}

/** The file that carries them. */
export function bytesModule(bytes) {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return `// Written by vector-kernel/build.mjs from vector-kernel/kernel.ts: change the source, not this file.

/** The compiled vector kernel, ${bytes.length} bytes in base64. */
export const wasmBase64 =
  '${Buffer.from(bytes).toString('base64')}'

/** Of the bytes. */
export const wasmSha256 = '${sha256}'
`
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const bytes = await compileKernel()
  await writeFile(target, bytesModule(bytes))
  stdout.write(`${fileURLToPath(target)}: ${bytes.length} bytes\n`)
}

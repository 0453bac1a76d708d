import { readFile } from 'node:fs/promises'
import type { MemoryEngine } from '../../engine/index.ts'
import { InputError } from '../../errors/index.ts'
import type { Scope } from '../../model/index.ts'
import { readExpectations } from '../expectations/expectation-file.ts'
import { type ExpectationResult, runExpectations, type TestResult } from '../expectations/run-expectations.ts'
import { systemUser } from '../input/scope.ts'
import { readStdinText } from '../input/stdin.ts'
import type { CliIo } from '../io.ts'
import { type Output, printAnswer, type Rendering } from '../output/answer.ts'
import { bad, bold, dim, good, type Line, line, wholeLine } from '../output/lines.ts'
import { startProgress } from '../output/progress.ts'
import { isThere, noMemoryYet, openWith, type Settings } from '../settings.ts'

/** Some expectation was not met. */
const failedExit = 1

async function readInput(file: string, io: CliIo): Promise<string> {
  if (file === '-') return readStdinText(io)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `FILE: ${file} can't be read (${code}). Give the path of a file of expectations; mneme test --help shows one.`,
      details: { path: file },
      cause,
    })
  }
}

function whyNot({ missing, shown, text, isTooLong }: ExpectationResult): Line[] {
  return [
    ...missing.map((wanted) => wholeLine('    ', bad('missing'), '  ', wanted)),
    ...shown.map((unwanted) => wholeLine('    ', bad('shown'), '    ', unwanted)),
    ...(text === '' ? [] : text.split('\n')).map((part) => wholeLine('    ', dim(`| ${part}`))),
    ...(text === '' && !isTooLong ? [wholeLine('    ', dim('nothing was found'))] : []),
    ...(isTooLong ? [wholeLine('    ', dim('there was more than fits within so many tokens'))] : []),
  ]
}

function render(tests: readonly TestResult[], failed: number): Rendering {
  const lines = tests.flatMap(({ name, expectations }): Line[] => [
    line(bold(name)),
    ...expectations.flatMap((result): Line[] => [
      wholeLine('  ', result.ok ? good('✓') : bad('✗'), ` ${result.ask}`, dim(`  ${result.tokens} tokens`)),
      ...(result.ok ? [] : whyNot(result)),
    ]),
  ])
  const count = tests.reduce((sum, { expectations }) => sum + expectations.length, 0)
  const verdict = failed === 0 ? good(`${count} met`) : bad(`${failed} of ${count} not met`)
  return { lines: [...lines, line(verdict)] }
}

/** Runs what somebody expects of their memory. @returns 1 when an expectation is not met (XPT-1) */
export async function runTestCommand(
  file: string,
  settings: Settings,
  named: Scope | undefined,
  io: CliIo,
  output: Output,
): Promise<number> {
  const tests = await readExpectations(await readInput(file, io))
  let opened: MemoryEngine | undefined
  const options = {
    embedder: settings.embedder,
    signal: io.signal,
    scope: () => named ?? { userId: systemUser(io) },
    memory: async () => {
      if (!(await isThere(settings))) throw noMemoryYet(settings)
      opened ??= await openWith(settings)
      return opened
    },
  }
  const progress = await startProgress(io, 'test', 'tests')
  const results: TestResult[] = []
  try {
    for await (const result of runExpectations(tests, options)) {
      results.push(result)
      progress.update(results.length, tests.length)
    }
  } finally {
    progress.stop()
    await opened?.close()
  }
  const failed = results.flatMap(({ expectations }) => expectations).filter(({ ok }) => !ok).length
  await printAnswer(output, { ok: failed === 0, failed, tests: results }, () => render(results, failed))
  return failed === 0 ? 0 : failedExit
}

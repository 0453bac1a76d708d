import { readFile } from 'node:fs/promises'
import { BrokenPipe, type CliIo, createPrinter } from './io.ts'
import { canvasOf, type Output, type OutputMode, outputModes } from './output/answer.ts'
import { interruptedExit, printFailure } from './output/failure.ts'

async function readVersion(): Promise<string> {
  // The same two steps up from src/ and from dist/ in the published package.
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** The output mode as far as it can be told before the rest is understood: complaints about the rest need it. */
function modeOf(argv: readonly string[]): OutputMode {
  const end = argv.indexOf('--')
  const given = (end < 0 ? argv : argv.slice(0, end)).flatMap((arg, i) => {
    if (arg === '-o' || arg === '--output') return [argv[i + 1]]
    return /^(?:-o=?|--output=)(jsonl?|text)$/.exec(arg)?.[1] ?? []
  })
  return outputModes.find((mode) => mode === given.at(-1)) ?? 'text'
}

async function run(argv: readonly string[], io: CliIo, output: Output): Promise<number> {
  const [first] = argv
  if (argv.length === 1 && (first === '--version' || first === '-V')) {
    await output.out.write(`${await readVersion()}\n`)
    return 0
  }
  if (first === 'bench') {
    const { runBench } = await import('./bench/index.ts')
    return runBench(argv.slice(1), io)
  }
  const [{ buildProgram }, { argvToParse, choicesOf }, { asFailure }] = await Promise.all([
    import('./program.ts'),
    import('./argv-to-parse.ts'),
    import('./as-failure.ts'),
  ])
  const outcome = { exit: 0, help: '' }
  const program = buildProgram(io, output, await readVersion(), outcome, argv)
  try {
    await program.parseAsync([...argvToParse(argv, program)], { from: 'user' })
  } catch (error) {
    const failure = asFailure(error, choicesOf(program, argv))
    if (failure !== null) throw failure
  }
  if (outcome.help !== '') await output.out.write(outcome.help)
  return outcome.exit
}

/**
 * Runs one command line, without the name of the program in front.
 * @returns the exit code: 0, one from the table of errors, 1 for a failure that mneme does not know, 130 when interrupted
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const output: Output = {
    mode: modeOf(argv),
    out: createPrinter(io.stdout),
    err: createPrinter(io.stderr),
    canvas: canvasOf(io, 'stdout'),
    errCanvas: canvasOf(io, 'stderr'),
  }
  try {
    const exit = await run(argv, io, output)
    await output.out.flush()
    await output.err.flush()
    return io.signal.aborted ? interruptedExit : exit
  } catch (error) {
    if (error instanceof BrokenPipe) return 0
    if (io.signal.aborted) return interruptedExit
    try {
      const exit = await printFailure(output, error, io.env.MNEME_DEBUG === '1')
      await output.out.flush()
      await output.err.flush()
      return exit
    } catch (second) {
      if (second instanceof BrokenPipe) return 1
      throw second
    }
  }
}

/** The world as the command line sees it: everything a run touches comes in here, so that it runs in process too. */
export interface CliIo {
  readonly stdin: AsyncIterable<string | Uint8Array>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** Width of the terminal behind stdout. @default 80 */
  readonly columns?: number | undefined
  /** Aborted by an interruption. */
  readonly signal: AbortSignal
  /** The operating system's name for the user. @throws when it has none */
  userName(): string
}

/** Nobody reads what is written any more. Not a failure: `mneme list | head -1` ends well. */
export class BrokenPipe extends Error {}

/** Writes with patience for slow readers. */
export interface Printer {
  /** @throws BrokenPipe when nobody reads any more */
  write(text: string): Promise<void>
  /** Waits until all of it is handed over. */
  flush(): Promise<void>
}

export function createPrinter(stream: NodeJS.WritableStream): Printer {
  let failure: NodeJS.ErrnoException | null = null
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure = error
  })

  function throwFailure(): void {
    if (failure === null) return
    throw failure.code === 'EPIPE' ? new BrokenPipe('nobody reads the output', { cause: failure }) : failure
  }

  async function write(text: string): Promise<void> {
    throwFailure()
    if (stream.write(text)) return
    await new Promise<void>((resolve) => {
      const go = () => {
        stream.off('drain', go)
        stream.off('error', go)
        resolve()
      }
      stream.on('drain', go)
      stream.on('error', go)
    })
    throwFailure()
  }

  return {
    write,
    async flush() {
      if (failure === null) await new Promise<void>((resolve) => stream.write('', () => resolve()))
      throwFailure()
    },
  }
}

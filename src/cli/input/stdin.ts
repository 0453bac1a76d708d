import type { CliIo } from '../io.ts'

/** Resolves when the signal is aborted; `stop` takes the listener away again. */
function abortion(signal: AbortSignal): { readonly aborted: Promise<never>; stop(): void } {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const listener = () => reject(signal.reason)
    signal.addEventListener('abort', listener, { once: true })
    stop = () => signal.removeEventListener('abort', listener)
  })
  // Nobody may be waiting for it when it comes.
  aborted.catch(() => {})
  return { aborted, stop }
}

/** The text that is piped in, piece by piece; an interruption ends the waiting. */
async function* readStdin(io: CliIo): AsyncGenerator<string> {
  io.signal.throwIfAborted()
  const decoder = new TextDecoder()
  const iterator = io.stdin[Symbol.asyncIterator]()
  const { aborted, stop } = abortion(io.signal)
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), aborted])
      if (done) break
      yield typeof value === 'string' ? value : decoder.decode(value, { stream: true })
    }
    yield decoder.decode()
  } finally {
    stop()
  }
}

/** All of stdin, without the line ending that ends it. */
export async function readStdinText(io: CliIo): Promise<string> {
  let text = ''
  for await (const piece of readStdin(io)) text += piece
  return text.replace(/^\ufeff/, '').replace(/\r?\n$/, '')
}

/** What is typed up to the end of the line, without spaces around it. */
export async function readAnswer(io: CliIo): Promise<string> {
  let text = ''
  for await (const piece of readStdin(io)) {
    text += piece
    if (text.includes('\n')) break
  }
  return (text.split('\n')[0] ?? '').trim()
}

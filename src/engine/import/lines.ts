import { type FileHandle, open } from 'node:fs/promises'
import type { MemoryStore, Scratch } from '../../contract/index.ts'
import { InputError, MnemeError } from '../../errors/index.ts'

/** The lines of a source, without their ends, some at a time. They can be read again when they were read to the end. */
export interface Lines {
  read(): AsyncIterable<readonly string[]>
  close(): Promise<void>
}

const pieceLength = 2 ** 18
/** What can't be read twice is kept in memory up to this length, then in the scratch of the store. */
const keptLength = 32 * 2 ** 20
const writtenLength = 2 ** 20

/** With lone surrogates as their escapes in JSON, which mean the same there and can be written as UTF-8. */
function wellFormed(line: string): string {
  if (line.isWellFormed()) return line
  return line.replaceAll(/\p{Surrogate}/gu, (lone) => `\\u${lone.charCodeAt(0).toString(16)}`)
}

/** Only `\n` ends a line: what else Unicode calls one may stand in a text. */
async function* linesOf(pieces: AsyncIterable<unknown> | Iterable<string>): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const piece of pieces) {
    const text = String(piece)
    if (!text.includes('\n')) {
      rest += text
      continue
    }
    const lines = (rest + text).split('\n')
    rest = lines.pop() as string
    yield lines.map(wellFormed)
  }
  if (rest !== '') yield [wellFormed(rest)]
}

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceLength) yield text.slice(start, start + pieceLength)
}

function unreadable(path: string, cause: unknown): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `source: the file ${path} can't be read. Check its path and rights.`,
    details: { path },
    cause,
  })
}

async function* piecesOfFile(file: FileHandle, path: string, start: number | undefined): AsyncGenerator<string> {
  try {
    const options = { autoClose: false, encoding: 'utf8', highWaterMark: pieceLength } as const
    yield* file.createReadStream(start === undefined ? options : { ...options, start })
  } catch (cause) {
    throw MnemeError.is(cause) ? cause : unreadable(path, cause)
  }
}

/** Of what comes once: kept while it is read for the first time. */
function keptLines(store: MemoryStore, source: AsyncIterable<unknown>): Lines {
  let kept: string[] = []
  let length = 0
  let scratch: Scratch | undefined
  let isOver = false

  async function put(): Promise<void> {
    scratch ??= await store.scratch?.()
    if (!scratch) return
    await scratch.write(kept.join(''))
    kept = []
    length = 0
  }

  async function* firstRead(): AsyncGenerator<readonly string[]> {
    for await (const lines of linesOf(source)) {
      for (const line of lines) {
        kept.push(`${line}\n`)
        length += line.length
      }
      if (length > (scratch ? writtenLength : keptLength)) await put()
      yield lines
    }
    if (scratch) await put()
    isOver = true
  }

  return {
    read: () => (isOver ? linesOf(scratch?.read() ?? kept) : firstRead()),
    async close() {
      await scratch?.close()
    },
  }
}

/** @throws InputError INVALID_ARGUMENT for what is no source, and for a file that can't be read */
export async function openLines(store: MemoryStore, source: unknown): Promise<Lines> {
  if (typeof source === 'string') return { read: () => linesOf(piecesOf(source)), close: async () => undefined }
  if (typeof source === 'object' && source !== null && 'path' in source && typeof source.path === 'string') {
    const { path } = source
    let file: FileHandle | undefined
    try {
      file = await open(path)
      const handle = file
      // Of a pipe there is no beginning to go back to.
      if (!(await handle.stat()).isFile()) {
        const lines = keptLines(store, piecesOfFile(handle, path, undefined))
        return { read: lines.read, close: () => lines.close().finally(() => handle.close()) }
      }
      return { read: () => linesOf(piecesOfFile(handle, path, 0)), close: () => handle.close() }
    } catch (cause) {
      await file?.close()
      throw unreadable(path, cause)
    }
  }
  if (typeof source === 'object' && source !== null && Symbol.asyncIterator in source)
    return keptLines(store, source as AsyncIterable<unknown>)
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: 'source: must be a text, an async iterable of text, or { path }.',
  })
}

import { type FileHandle, open } from 'node:fs/promises'
import { InputError, MnemeError } from '../errors/index.ts'

/** The lines of what is imported: a text, pieces of one, or a file. @throws InputError INVALID_ARGUMENT */
export async function* sourceLines(source: unknown): AsyncGenerator<string> {
  if (typeof source === 'string') {
    yield* source.split('\n')
    return
  }
  if (typeof source === 'object' && source !== null && 'path' in source && typeof source.path === 'string') {
    let file: FileHandle | undefined
    try {
      file = await open(source.path)
      yield* file.readLines({ autoClose: false })
    } catch (cause) {
      if (MnemeError.is(cause)) throw cause
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: `source: the file ${source.path} can't be read. Check its path and rights.`,
        details: { path: source.path },
        cause,
      })
    } finally {
      await file?.close()
    }
    return
  }
  if (typeof source === 'object' && source !== null && Symbol.asyncIterator in source) {
    let rest = ''
    for await (const piece of source as AsyncIterable<unknown>) {
      const parts = (rest + String(piece)).split('\n')
      rest = parts.pop() as string
      yield* parts
    }
    yield rest
    return
  }
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: 'source: must be a text, an async iterable of text, or { path }.',
  })
}

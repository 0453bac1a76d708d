import { ClosedError } from '../errors/index.ts'

export function engineClosed(): ClosedError {
  return new ClosedError({ code: 'ENGINE_CLOSED', message: 'This memory was closed. Open it again with openMemory.' })
}

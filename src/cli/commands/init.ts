import { stat } from 'node:fs/promises'
import type { Output } from '../output/answer.ts'
import { printAnswer } from '../output/answer.ts'
import { good, wholeLine } from '../output/lines.ts'
import { openWith, type Settings } from '../settings.ts'

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Makes the memory's file, or finds that it is there and can be used. */
export async function runInit(settings: Settings, output: Output): Promise<number> {
  const there = await exists(settings.db)
  const memory = await openWith(settings)
  try {
    await memory.start()
  } finally {
    await memory.close()
  }
  await printAnswer(output, { path: settings.db, created: !there }, () => ({
    lines: [wholeLine(good(there ? 'ready' : 'created'), '  ', settings.db)],
    notes: there ? [] : ['Remember something: mneme add "Ann plays the cello"'],
  }))
  return 0
}

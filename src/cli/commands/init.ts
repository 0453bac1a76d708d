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

/** Makes what holds the memory, or finds that it is there and can be used. */
export async function runInit(settings: Settings, output: Output): Promise<number> {
  const { db, store } = settings
  const there = db !== undefined && (await exists(db))
  const memory = await openWith(settings)
  try {
    await memory.start()
  } finally {
    await memory.close()
  }
  // Of what is no file nobody can tell who made it.
  const made = db === undefined ? { store: store.name } : { path: db, created: !there }
  await printAnswer(output, made, () => ({
    lines: [wholeLine(good(there || db === undefined ? 'ready' : 'created'), '  ', db ?? store.name)],
    notes: there ? [] : ['Remember something: mneme add "Ann plays the cello"'],
  }))
  return 0
}

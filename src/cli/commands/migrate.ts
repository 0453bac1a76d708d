import { stat } from 'node:fs/promises'
import type { MemoryStore } from '../../contract/index.ts'
import { type MigrateStoreResult, migrateStore, parseStoreSpec, type StoreSpec } from '../../engine/index.ts'
import { SetupError } from '../../errors/index.ts'
import type { CliIo } from '../io.ts'
import { amount } from '../output/amount.ts'
import { type Output, printAnswer, type Rendering } from '../output/answer.ts'
import { good, wholeLine } from '../output/lines.ts'

export interface MigrateCommand {
  readonly from: string
  readonly to: string
  readonly verifyOnly: boolean
}

/** A file that nobody made must not come to be by being read. */
async function refuseMissing({ file }: StoreSpec, option: string): Promise<void> {
  if (file === undefined) return
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  if (isThere) return
  throw new SetupError({
    code: 'BAD_CONFIG',
    message: `${option}: no memory at ${file}. Check the path.`,
    details: { path: file },
  })
}

type Answer = { readonly from: string; readonly to: string } & MigrateStoreResult

function render(answer: Answer, { verifyOnly }: MigrateCommand): Rendering {
  const { from, to, copied, skipped, digest, upTo } = answer
  const counts = [
    amount(answer.transactions, 'transaction'),
    amount(answer.records, 'record'),
    amount(answer.links, 'link'),
    amount(answer.journal, 'journal line'),
  ]
  return {
    lines: [
      wholeLine(good(verifyOnly ? 'the same' : 'copied and verified'), `  ${from} → ${to}`),
      wholeLine(`${counts.join(', ')}; digest ${digest}`),
    ],
    notes: [
      ...(answer.transactions === 0
        ? ['The source holds nothing. Check its address: a misspelt schema or namespace is another memory.']
        : []),
      ...(verifyOnly ? [] : [`${amount(copied.transactions, 'transaction')} came with this run.`]),
      ...(upTo === null
        ? []
        : [`Up to transaction ${upTo}: run it again for what is written to the source from now on.`]),
      ...(skipped.erased === 0 ? [] : [`${amount(skipped.erased, 'tombstone')} of erased records stayed behind.`]),
    ],
  }
}

/** A count that grows, where somebody looks at it. */
function counter({ isTerminal, stderr }: CliIo): { show(text: string): void; end(): void } {
  if (!isTerminal.stderr) return { show() {}, end() {} }
  let shown = 0
  return {
    show(text) {
      const now = Date.now()
      if (now - shown < 200) return
      shown = now
      stderr.write(`\r\u001b[K${text}`)
    },
    end: () => void stderr.write('\r\u001b[K'),
  }
}

/** Copies one store into another and says how much, and that both are the same. */
export async function runMigrate(command: MigrateCommand, io: CliIo, output: Output): Promise<number> {
  const source = parseStoreSpec(command.from, io.env, '--from')
  const target = parseStoreSpec(command.to, io.env, '--to')
  await refuseMissing(source, '--from')
  if (command.verifyOnly) await refuseMissing(target, '--to')
  const progress = counter(io)
  const stores: MemoryStore[] = []
  try {
    for (const spec of [source, target]) stores.push(await spec.make())
    const [from, to] = stores as [MemoryStore, MemoryStore]
    const result = await migrateStore(from, to, {
      verifyOnly: command.verifyOnly,
      signal: io.signal,
      onProgress: ({ phase, transactions }) => progress.show(`${phase}: ${amount(transactions, 'transaction')}`),
    })
    progress.end()
    const answer: Answer = { from: source.name, to: target.name, ...result }
    await printAnswer(output, answer, () => render(answer, command))
    return 0
  } finally {
    progress.end()
    for (const store of stores) await store.close()
  }
}

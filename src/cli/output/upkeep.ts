import type {
  JournalResult,
  PendingResult,
  RebuildResult,
  Stats,
  UsageResult,
  VerifyJournalResult,
  VerifyResult,
} from '../../engine/index.ts'
import { amount, memories } from './amount.ts'
import type { Renderer } from './answer.ts'
import { bad, dim, good, line, table, wholeLine } from './lines.ts'
import { listNotes } from './list-notes.ts'
import { moment, scopeText } from './records.ts'

function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

function sizeText(bytes: number | null, store: string): string {
  return bytes === null ? `${store} store` : `${(bytes / 1e6).toFixed(1)} MB, ${store} store`
}

export const stats: Renderer<Stats> = (answer) => {
  const { byScope = [], embedder, pending: waiting } = answer
  const waits = waiting === 1 ? '1 waits for its vector' : `${waiting} wait for their vectors`
  return {
    lines: [
      ...table([
        [dim('memories'), `${answer.total}, ${answer.live} of them live`],
        [dim('by kind'), counted(answer.byKind)],
        [dim('by status'), counted(answer.byStatus)],
        [dim('size'), sizeText(answer.sizeBytes, answer.store)],
        [
          dim('embedder'),
          embedder === null ? 'none: text search only' : `${embedder.id}, ${embedder.dimensions} dimensions`,
        ],
        [dim('waiting'), waiting === 0 ? 'nothing waits for its vector' : waits],
      ]),
      ...table(
        byScope.map(({ scope, count }) => [String(count), scopeText(scope)]),
        [0],
      ),
    ],
  }
}

export const pending: Renderer<PendingResult> = ({ records }) => ({
  lines: table(
    records.map(({ id, attempts, since, lastError }) => [
      id,
      moment(since),
      amount(attempts, 'attempt'),
      lastError ?? '',
    ]),
  ),
  notes: listNotes(records, 'Nothing waits for its vector.'),
})

const tokensOf = ({ calls, inputTokens, outputTokens, cost }: UsageResult['total']) => [
  amount(calls, 'call'),
  `${inputTokens} + ${outputTokens} tokens`,
  cost === undefined ? '' : `cost ${cost.toFixed(4)}`,
]

export const usage: Renderer<UsageResult> = ({ days, total }) => {
  const { estimated, reserved } = total
  return {
    lines: table([
      ...days.map((day) => [day.day, ...tokensOf(day), scopeText(day.scope)]),
      ...(days.length > 1 ? [['in all', ...tokensOf(total), '']] : []),
    ]),
    notes: [
      ...listNotes(days, 'No language model was asked.'),
      ...(estimated > 0 ? [`Of ${amount(estimated, 'call')} the tokens are estimated.`] : []),
      ...(reserved > 0 ? [`${reserved} more tokens are set aside for calls under way.`] : []),
    ],
  }
}

export const verify: Renderer<VerifyResult> = ({ ok, problems, checked }) => ({
  lines: [
    line(ok ? good('✓ all is well') : bad(`✗ ${amount(problems.length, 'problem')}`), `  ${memories(checked)} checked`),
    ...table(problems.map(({ code, id, message }) => [bad(code), id ?? '', message])).map((each) => ({
      ...each,
      whole: true,
    })),
  ],
})

export const journal: Renderer<JournalResult> = ({ entries, nextCursor }) => ({
  lines: table(
    entries.map(({ at, op, verb, actor, reason, ids }) => [
      moment(at),
      op,
      verb,
      actor ?? '',
      ids.length > 3 ? memories(ids.length) : ids.join(' '),
      reason ?? '',
    ]),
  ),
  notes: listNotes(entries, 'Nobody read or wrote here.', nextCursor),
})

export const verifyJournal: Renderer<VerifyJournalResult> = ({ ok, entries, brokenAt }) => ({
  lines: [
    line(
      ok ? good('✓ whole') : bad(`✗ broken at line ${brokenAt}`),
      `  ${amount(entries, 'line')} ${ok ? 'checked' : 'before it are whole'}`,
    ),
  ],
})

export const rebuild: Renderer<RebuildResult> = ({ records, analysed, embedded }) => ({
  lines: [line(good('rebuilt'), `  ${memories(records)}: terms of ${analysed}, vectors of ${embedded} made anew`)],
})

export const backup: Renderer<{ path: string }> = ({ path }) => ({ lines: [wholeLine(good('copied'), '  to ', path)] })

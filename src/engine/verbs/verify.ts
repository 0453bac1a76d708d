import { z } from 'zod'
import type { StoredRecord, StoreProblem } from '../../contract/index.ts'
import { allScopes, parseScope, within } from '../../model/index.ts'
import { analyse } from '../analysis.ts'
import type { RebuildResult, VerifyResult } from '../api/reading.ts'
import { listAll } from '../listing.ts'
import { type Call, defineVerb, signalOption } from '../verb.ts'

const batch = 500

/** What is wrong with one record's derived parts, as far as the record itself can tell. */
function faults(stored: StoredRecord, call: Call): StoreProblem[] {
  const { record, analysis, vector } = stored
  const fresh = analyse(record, call.core.table)
  const problems: StoreProblem[] = []
  if (analysis.analyser === fresh.analyser && JSON.stringify(analysis.terms) !== JSON.stringify(fresh.terms)) {
    problems.push({
      code: 'TERMS_DIFFER',
      id: record.id,
      message: `The stored terms of ${record.id} are not those of its text. Run rebuild.`,
    })
  }
  if (vector && vector.values.length > 0 && !vector.values.every(Number.isFinite)) {
    problems.push({
      code: 'VECTOR_BROKEN',
      id: record.id,
      message: `The vector of ${record.id} holds NaN or infinity. Run rebuild.`,
    })
  }
  return problems
}

export const verify = defineVerb({
  name: 'verify',
  summary: 'Compare every record with every index.',
  positional: [],
  input: () => z.strictObject({ ...signalOption }),
  writes: false,
  caretaker: true,
  example: 'mneme verify',
  async run(call, input): Promise<VerifyResult> {
    const { store, index } = call.core
    const problems: StoreProblem[] = [...(await store.verify({ signal: input.signal }))]
    // A store that can't even list its records says so in its own words above.
    const records =
      problems.length > 0 ? [] : await listAll(call.core, allScopes(), { statuses: 'any', signal: input.signal })
    for (const stored of records) problems.push(...faults(stored, call))
    if (index && problems.length === 0) problems.push(...(await index.check(store, { signal: input.signal })))
    return { ok: problems.length === 0, problems, checked: records.length }
  },
})

/** Puts new terms beside the same text: not a change that anyone made, so version and history stay. */
async function renewAnalyses({ core }: Call, outdated: readonly StoredRecord[], signal?: AbortSignal): Promise<void> {
  const renewed = outdated.map(({ record: { id, version }, record }) => ({
    id,
    version,
    analysis: analyse(record, core.table),
  }))
  await core.store.derive(renewed, [], { signal })
}

export const rebuild = defineVerb({
  name: 'rebuild',
  summary: 'Make terms and missing vectors anew from the records.',
  positional: [],
  input: () =>
    z.strictObject({
      part: z.enum(['text', 'vectors']).optional(),
      scope: z.unknown().optional(),
      ...signalOption,
    }),
  writes: true,
  whole: true,
  caretaker: true,
  example: 'mneme rebuild',
  async run(call, input): Promise<RebuildResult> {
    const { core } = call
    const scope = input.scope === undefined ? allScopes() : within(parseScope(input.scope))
    const records = await listAll(core, scope, { statuses: 'any', signal: input.signal })
    let analysed = 0
    if (input.part !== 'vectors') {
      for (let start = 0; start < records.length; start += batch) {
        const slice = records.slice(start, start + batch)
        await renewAnalyses(call, slice, input.signal)
        analysed += slice.length
      }
    }
    const embedded = input.part === 'text' ? 0 : await core.pending.drain(scope, input.signal)
    core.index?.clear()
    await core.index?.sync({ signal: input.signal })
    return { records: records.length, analysed, embedded }
  },
})

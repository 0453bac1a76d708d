import { z } from 'zod'
import type { MemoryRecord } from '../../../model/index.ts'
import { readScope } from '../../access.ts'
import type { Conflict, ConflictEvidence, ConflictListResult } from '../../api/conflicts.ts'
import { conflictKind } from '../../conflict-steps.ts'
import type { Core } from '../../core.ts'
import { listAll } from '../../listing.ts'
import { type OpenConflict, openConflicts } from '../../open-conflicts.ts'
import { recordPage } from '../../record-page.ts'
import { argumentsDigest } from '../../tokens.ts'
import { cursorField, defineVerb, limitField, limitOf, readOptions } from '../../verb.ts'

const defaultLimit = 50

/** What a record itself says of where it comes from. */
function ownEvidence({ source, eventTime, validFrom, createdAt }: MemoryRecord): ConflictEvidence {
  const { type, actor, ref, quote } = source
  return {
    at: eventTime?.start ?? validFrom ?? createdAt,
    ...(quote === undefined ? {} : { quote }),
    source: type,
    ...(actor === undefined ? {} : { actor }),
    ...(ref === undefined ? {} : { ref }),
  }
}

/** What the record itself says first, then what was heard besides. */
function heardOf({ second, data }: OpenConflict): ConflictEvidence[] {
  const own = ownEvidence(second.record)
  const heard = data.evidence.filter(({ quote }) => quote !== own.quote)
  return [own, ...heard.map(({ message, quote, at }) => ({ at, quote, message, source: own.source }))]
}

function shownConflict(core: Core, open: OpenConflict): Conflict {
  const { conflict, data, first, second } = open
  const { id, scope, createdAt } = conflict.record
  const shown = (record: MemoryRecord) => core.touches.withCounts(record)
  return {
    id,
    scope,
    why: data.reason,
    createdAt,
    first: shown(first.record),
    second: shown(second.record),
    evidence: { first: [ownEvidence(first.record)], second: heardOf(open) },
  }
}

export const conflictsList = defineVerb({
  name: 'conflicts.list',
  summary: 'Show the contradictions that wait for a decision: both sides, what speaks for each, and why.',
  positional: [],
  input: () => z.strictObject({ limit: limitField(), cursor: cursorField(), ...readOptions }),
  writes: false,
  example: 'mneme conflicts list --user ann',
  shows: ({ conflicts }: ConflictListResult) => conflicts.flatMap(({ first, second }) => [first, second]),
  async run({ core, access }, input): Promise<ConflictListResult> {
    const { signal } = input
    const scope = readScope(access, input)
    let open: ReadonlyMap<string, OpenConflict> = new Map()
    const { records, nextCursor } = await recordPage(core, scope, {
      query: { kinds: [conflictKind], order: 'newest', limit: limitOf(input.limit, defaultLimit) },
      digest: argumentsDigest('conflicts.list', input),
      cursor: input.cursor,
      signal,
      async judge({ asOf }) {
        const look = { asOf, signal }
        const all = await listAll(core, scope, { kinds: [conflictKind], signal }, { ...look, bare: true })
        open = await openConflicts(core, scope, all, look)
        return ({ id }) => open.has(id)
      },
    })
    const conflicts = records.map(({ id }) => shownConflict(core, open.get(id) as OpenConflict))
    return { conflicts, ...(nextCursor === undefined ? {} : { nextCursor }) }
  },
})

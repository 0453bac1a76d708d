import { z } from 'zod'
import { type JournalEntry, journalCheck } from '../../contract/index.ts'
import { allScopes, formatInstant, madeOnce, ownerFromKey, ownerKey } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { JournalResult, VerifyJournalResult } from '../api/journal.ts'
import { argumentsDigest, decodeToken, encodeToken } from '../tokens.ts'
import {
  cursorField,
  defineVerb,
  idsField,
  limitField,
  limitOf,
  optionalInstant,
  readOptions,
  signalOption,
  timeField,
} from '../verb.ts'

const defaultLimit = 100
const batch = 500

/** After the line `after`, and `skip` more lines that the store gives from there. */
const placeSchema = madeOnce(() => z.strictObject({ after: z.int().min(0), skip: z.int().min(0) }))

interface JournalFilter {
  readonly since: number | undefined
  readonly actor: string | undefined
  readonly ids: ReadonlySet<string> | undefined
  readonly op: 'read' | 'write' | undefined
}

function matches(entry: JournalEntry, { since, actor, ids, op }: JournalFilter): boolean {
  return (
    (since === undefined || entry.at >= since) &&
    (actor === undefined || entry.actor === actor) &&
    (op === undefined || entry.op === op) &&
    (ids === undefined || entry.ids.some((id) => ids.has(id)))
  )
}

export const journal = defineVerb({
  name: 'journal',
  summary: 'Show who read or wrote what and why, without content, in order.',
  positional: [],
  input: () =>
    z.strictObject({
      since: timeField(),
      actor: z.string().min(1).max(1024).optional(),
      ids: idsField().optional(),
      op: z.enum(['read', 'write']).optional(),
      limit: limitField(),
      cursor: cursorField(),
      // `actor` is whose lines are wanted: reading the journal leaves no line.
      scope: readOptions.scope,
      allScopes: readOptions.allScopes,
      include: readOptions.include,
      signal: readOptions.signal,
    }),
  writes: false,
  example: 'mneme journal --user ann',
  async run({ core, access }, input): Promise<JournalResult> {
    const scope = readScope(access, input)
    const limit = limitOf(input.limit, defaultLimit)
    const { actor, op, signal } = input
    const filter = { since: optionalInstant(input.since, 'since'), actor, op, ids: input.ids && new Set(input.ids) }
    const digest = argumentsDigest('journal', { ...input, by: actor ?? null })
    let place =
      input.cursor === undefined ? { after: 0, skip: 0 } : decodeToken(core, input.cursor, digest, placeSchema())
    const entries: JournalResult['entries'][number][] = []
    for (;;) {
      signal?.throwIfAborted()
      const page = await core.store.journal(scope, { after: place.after, limit: batch }, { signal })
      for (let i = place.skip; i < page.length; i++) {
        const entry = page[i] as JournalEntry
        if (!matches(entry, filter)) continue
        if (entries.length === limit) {
          return { entries, nextCursor: encodeToken(core, digest, { after: place.after, skip: i }) }
        }
        const { tx: _tx, ...rest } = entry
        entries.push({ ...rest, at: formatInstant(entry.at) })
      }
      const last = page.at(-1)
      if (last === undefined) return { entries }
      place = { after: last.seq, skip: 0 }
    }
  },
})

export const verifyJournal = defineVerb({
  name: 'verifyJournal',
  summary: "Check that no line of any owner's journal was changed, taken out or put in.",
  positional: [],
  input: () => z.strictObject({ ...signalOption }),
  writes: false,
  caretaker: true,
  example: 'mneme verify-journal',
  async run({ core }, { signal }): Promise<VerifyJournalResult> {
    const check = journalCheck()
    // Read first: lines that are written meanwhile only make chains longer.
    const ends = await core.store.journalEnds({ signal })
    let entries = 0
    for (let after = 0; ; ) {
      const page = await core.store.journal(allScopes(), { after, limit: batch }, { signal })
      for (const entry of page) {
        if (!check.fits(entry)) return broken(entries, entry.seq, ownerKey(entry.scope))
        entries++
      }
      const last = page.at(-1)
      if (last !== undefined) {
        after = last.seq
        continue
      }
      const missing = ends.find(({ owner, seq }) => check.lastOf(owner) < seq)
      return missing === undefined
        ? { ok: true, entries }
        : broken(entries, check.lastOf(missing.owner) + 1, missing.owner)
    }
  },
})

function broken(entries: number, brokenAt: number, owner: string): VerifyJournalResult {
  return { ok: false, entries, brokenAt, owner: ownerFromKey(owner) }
}

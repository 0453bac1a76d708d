import { z } from 'zod'
import type { Judge } from '../../../contract/index.ts'
import {
  judgeSkills,
  matchSkills,
  type Named,
  type NamedKind,
  type SkillLibrary,
  type SkillMatch,
  skillLibrary,
  skillText,
} from '../../../kinds/index.ts'
import type { MemoryRecord } from '../../../model/index.ts'
import { madeOnce } from '../../../model/index.ts'
import { readScope } from '../../access.ts'
import type { Degradation } from '../../api/searching.ts'
import type { Core } from '../../core.ts'
import { listAll } from '../../listing.ts'
import { embedderDegradation, embedTexts } from '../../vectors.ts'
import { type Call, limitField, limitOf, readOptions } from '../../verb.ts'

const defaultLimit = 3
/** Libraries that are kept ready, of as many scopes and options. */
const keptLibraries = 8

interface Known<Item> {
  readonly record: MemoryRecord
  readonly item: Item
}

/** More reliable ones first, then newer versions: what comes first wins where two match alike. */
function preferred(a: Known<Named>, b: Known<Named>): number {
  return (
    b.record.reliability - a.record.reliability ||
    b.item.version - a.item.version ||
    (a.record.id < b.record.id ? -1 : 1)
  )
}

/** What records say, by record: checking five hundred of them takes longer than matching them. */
const readItems = new WeakMap<Core, Map<string, Known<Named | null>>>()
/** How many of them are kept; beyond that it begins anew. */
const keptItems = 20_000

function itemOf<Item extends Named>(core: Core, form: NamedKind<Item>, record: MemoryRecord): Item | null {
  const kept = readItems.get(core) ?? new Map<string, Known<Named | null>>()
  readItems.set(core, kept)
  const there = kept.get(record.id)
  const isSame =
    there?.record.version === record.version &&
    there.record.updatedAt === record.updatedAt &&
    there.record.kind === record.kind
  if (isSame) return there.item as Item | null
  const item = form.of(record)
  if (kept.size >= keptItems) kept.clear()
  kept.set(record.id, { record, item })
  return item
}

const libraries = new WeakMap<Core, Map<string, SkillLibrary>>()

/** The vectors of texts; null for all, and why, where the embedder fails. */
async function vectorsOf(core: Core, texts: readonly string[], purpose: 'document' | 'query', signal?: AbortSignal) {
  const none = { vectors: texts.map(() => null), degraded: null }
  if (!core.embedder || texts.length === 0) return none
  try {
    const made = await embedTexts(core.embedder, texts, { purpose, signal })
    return { vectors: made.map(({ values }) => values), degraded: null }
  } catch (error) {
    signal?.throwIfAborted()
    return { ...none, degraded: embedderDegradation(core.embedder, error) }
  }
}

/** What is known made ready, and kept as long as none of it changes. */
async function libraryOf<Item extends Named>(
  core: Core,
  form: NamedKind<Item>,
  known: readonly Known<Item>[],
  signal?: AbortSignal,
) {
  const name = JSON.stringify(known.map(({ record: { id, version, updatedAt } }) => [id, version, updatedAt]))
  const kept = libraries.get(core) ?? new Map<string, SkillLibrary>()
  libraries.set(core, kept)
  const there = kept.get(name)
  if (there) return { library: there, degraded: null }
  const told = known.map(({ record: { id, reliability }, item }) => ({ id, reliability, skill: form.entry(item) }))
  const { vectors, degraded } = await vectorsOf(
    core,
    told.map(({ skill }) => skillText(skill)),
    'document',
    signal,
  )
  const library = skillLibrary(
    told.map((one, i) => ({ ...one, vector: vectors[i] ?? null })),
    core.table,
  )
  // Without its vectors it is made again the next time.
  if (degraded === null) kept.set(name, library)
  if (kept.size > keptLibraries) kept.delete(kept.keys().next().value as string)
  return { library, degraded }
}

const isFunction = (value: unknown) => typeof value === 'function'

/** What a verb that matches takes. */
export const matchInput = madeOnce(() =>
  z.strictObject({
    query: z.string().max(32_768),
    minVersion: z.int().min(1).optional(),
    name: z.string().min(1).max(512).optional(),
    minReliability: z.number().min(0).max(1).optional(),
    limit: limitField(),
    minScore: z.number().min(0).max(1).optional(),
    judge: z.custom<Judge>(isFunction, 'must be a function').optional(),
    ...readOptions,
  }),
)

export interface Fitting<Item> extends Known<Item>, Pick<SkillMatch, 'score' | 'by'> {}

/** What of a kind fits a need, best first, and what could not be done for it. Counts as a use, unless `touch` is false. */
export async function matchNeed<Item extends Named>(
  { core, access }: Call,
  form: NamedKind<Item>,
  input: z.infer<ReturnType<typeof matchInput>>,
  touch = true,
): Promise<{ readonly fitting: readonly Fitting<Item>[]; readonly degraded: readonly Degradation[] }> {
  const limit = limitOf(input.limit, defaultLimit)
  const { signal, name, minVersion = 1, minReliability = 0 } = input
  const judge = input.judge ?? core.policies.of(form.kind).strategy?.judge
  const query = { kinds: [form.kind], key: name, now: core.clock(), lifetimes: core.policies.lifetimes, signal }
  const found = await listAll(core, readScope(access, input), query, { bare: true })
  // What scope, filter and quality leave: neither ranking nor judge sees anything else.
  const known = found
    .flatMap(({ record }): Known<Item>[] => {
      const item = itemOf(core, form, record)
      const fits = item !== null && item.version >= minVersion && record.reliability >= minReliability
      return fits ? [{ record, item }] : []
    })
    .sort(preferred)
  const { library, degraded } = await libraryOf(core, form, known, signal)
  const asked = await vectorsOf(core, [input.query], 'query', signal)
  const need = { text: input.query, vector: asked.vectors[0] ?? null }
  const minScore = input.minScore ?? form.minScore(known.length)
  const matched = judge
    ? await judgeSkills(library, need, judge, { limit })
    : matchSkills(library, need, { limit, minScore })
  const byId = new Map(known.map((one) => [one.record.id, one]))
  const fitting = matched.map(({ id, score, by }) => {
    const { record, item } = byId.get(id) as Known<Item>
    // The caller's own: what is kept must not change with it.
    return { record, item: structuredClone(item), score, by }
  })
  if (touch && fitting.length > 0)
    core.touches.add(
      fitting.map(({ record }) => record.id),
      core.clock(),
    )
  return { fitting, degraded: [degraded ?? asked.degraded ?? []].flat() }
}

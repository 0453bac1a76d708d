import { z } from 'zod'
import type { Embedder, LanguageModel, MemoryStore, Reranker, TokenTable } from '../contract/index.ts'
import { SetupError } from '../errors/index.ts'
import { createPolicies, type KindPolicyInput, kindPoliciesSchema } from '../kinds/index.ts'
import { createPrompts, type PromptReplacement } from '../learning/index.ts'
import { madeOnce, parseScope, parseWith, type Scope } from '../model/index.ts'
import type { MemoryEngine } from './api/memory-engine.ts'
import type { ScoreWeights } from './api/searching.ts'
import { createEngine } from './create-engine.ts'
import { defaultsSchema } from './defaults.ts'
import { uuidv7s } from './ids.ts'
import { type ModelLimits, modelLimitsSchema } from './language-model/limits.ts'
import type { Clock, Logger } from './seams.ts'
import { environmentSpec } from './store-spec/index.ts'

export interface OpenMemoryOptions {
  /**
   * A file, made when it is not there; `~` is the home directory, `:memory:` keeps nothing. Or give a `store`. With neither, the
   * environment says: MNEME_STORE, else MNEME_DB (docs/configuration.md).
   */
  readonly path?: string | undefined
  readonly store?: MemoryStore | undefined
  /** For calls that name none. Without it every call must. */
  readonly scope?: Scope | undefined
  /** @default the built-in English embedder, offline; false: text search only */
  readonly embedder?: Embedder | false | undefined
  readonly reranker?: Reranker | undefined
  /** Learns, judges and summarises better than rules. Everything works without one, and what one says is checked. @default none */
  readonly model?: LanguageModel | undefined
  /** What the model may take: time, tokens, money. */
  readonly modelLimits?: ModelLimits | undefined
  /** Own texts in place of the prompts of these names, such as `learn.extract`. */
  readonly prompts?: Readonly<Record<string, PromptReplacement>> | undefined
  /** How the records of a kind live, by kind; unknown kinds live as semantic ones. */
  readonly kinds?: Readonly<Record<string, KindPolicyInput>> | undefined
  /** Which reads leave a line in the journal: those that give a reason, or all. Writes always do. @default 'reasoned' */
  readonly journalReads?: 'reasoned' | 'all' | undefined
  readonly defaults?:
    | {
        /** Results of a search, 1..1000. @default 10 */
        readonly limit?: number | undefined
        /** Memories that a summary is made from, 1..1000. @default 20 */
        readonly summaryLimit?: number | undefined
        /** Of a new memory, 0..1. @default 0.5 */
        readonly importance?: number | undefined
        /** @default 1 each */
        readonly weights?: ScoreWeights | undefined
        /** @default 72 */
        readonly recencyHalfLifeHours?: number | undefined
        /** @default 'createdAt' */
        readonly recencyAnchor?: 'createdAt' | 'updatedAt' | 'lastAccessedAt' | undefined
        /** Most alike memories that each learned fact is compared with, 1..50. @default 5 */
        readonly similar?: number | undefined
      }
    | undefined
  /** What a commit survives: `normal` the end of the process, `full` also a power cut. Only with `path`. @default 'normal' */
  readonly durability?: 'normal' | 'full' | undefined
  /** Epoch milliseconds. @default Date.now */
  readonly clock?: Clock | undefined
  /** Ids of new records. @default UUIDv7 */
  readonly ids?: (() => string) | undefined
  /** Hears ids, names, counts and codes, never content. @default silent */
  readonly logger?: Logger | undefined
}

/** The end of the year 9999: later times can't be written with four digits. */
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const isFunction = (value: unknown) => typeof value === 'function'
const isObject = (value: unknown) => typeof value === 'object' && value !== null

const isName = (value: unknown) => typeof value === 'string' && value !== ''
const isCount = (value: unknown, most: number) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most

const embedderSchema = madeOnce(() =>
  z.custom<Embedder | false>((value) => {
    if (value === false) return true
    const given = value as Embedder
    if (!isObject(value) || !isFunction(given.embed) || !isName(given.id)) return false
    const batch = given.maxBatchSize
    return isCount(given.dimensions, 65_536) && (batch === undefined || isCount(batch, Number.MAX_SAFE_INTEGER))
  }, 'must be an embedder with id, dimensions and embed, or false'),
)

const optionsSchema = madeOnce(() =>
  z.strictObject({
    path: z.string().min(1, 'must not be empty').optional(),
    store: z
      .custom<MemoryStore>(
        (value) => isObject(value) && isFunction((value as MemoryStore).commit),
        'must be a store, such as sqlite({ path }) or postgres({ url }); a hot tier needs one behind it',
      )
      .optional(),
    scope: z.unknown().optional(),
    embedder: embedderSchema().optional(),
    reranker: z
      .custom<Reranker>(
        (value) => isObject(value) && isFunction((value as Reranker).rerank) && isName((value as Reranker).id),
        'must have an id and rerank',
      )
      .optional(),
    model: z
      .custom<LanguageModel>(
        (value) =>
          isObject(value) && isFunction((value as LanguageModel).generate) && isName((value as LanguageModel).id),
        'must have an id and generate',
      )
      .optional(),
    modelLimits: modelLimitsSchema().prefault({}),
    prompts: z.record(z.string(), z.unknown()).optional(),
    defaults: defaultsSchema().prefault({}),
    kinds: kindPoliciesSchema().optional(),
    journalReads: z.enum(['reasoned', 'all']).default('reasoned'),
    durability: z.enum(['normal', 'full']).optional(),
    clock: z.custom<Clock>(isFunction, 'must be a function').optional(),
    ids: z.custom<() => string>(isFunction, 'must be a function').optional(),
    logger: z.custom<Logger>(isObject, 'must be an object').optional(),
  }),
)

function checkStore(store: MemoryStore): MemoryStore {
  if (store.contract === 1) return store
  throw new SetupError({
    code: 'CONTRACT_MISMATCH',
    message: `The store ${store.name} has contract ${store.contract}; this version of mneme speaks contract 1.`,
  })
}

/** What is given, else what the environment names. Nothing of it is opened or connected to here. */
async function storeOf({ path, store, durability }: z.infer<ReturnType<typeof optionsSchema>>): Promise<MemoryStore> {
  if (path !== undefined && store !== undefined) {
    throw new SetupError({ code: 'BAD_CONFIG', message: 'openMemory: path and store contradict each other. Give one.' })
  }
  if (durability !== undefined && path === undefined) {
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: 'openMemory: durability belongs to path; a store has options of its own.',
    })
  }
  if (store) return checkStore(store)
  if (path !== undefined) {
    const { sqlite } = await import('../stores/sqlite/index.ts')
    return sqlite({ path, ...(durability === undefined ? {} : { durability }) })
  }
  const named = environmentSpec(process.env)
  if (named) return named.make()
  throw new SetupError({
    code: 'BAD_CONFIG',
    message:
      "openMemory needs a path, such as { path: './memory.db' }, a store, or one that the environment names: " +
      'MNEME_STORE=sqlite:./memory.db.',
  })
}

/** The embedder, and word pieces for soft matching: both come with the built-in table, neither without an embedder. */
async function searchPartsOf(
  given: Embedder | false | undefined,
): Promise<{ embedder: Embedder | null; table: TokenTable | null }> {
  if (given === false) return { embedder: null, table: null }
  const { staticEn256, staticTokenTable } = await import('../embedders/index.ts')
  return { embedder: given ?? staticEn256(), table: staticTokenTable() }
}

/**
 * Opens a memory. Nothing is read or written before the first use, and no network is ever touched unless something that
 * does was passed in, or the environment names a server where neither `path` nor `store` is given.
 *
 * @example
 * const memory = await openMemory({ path: './memory.db', scope: { userId: 'ann' } })
 * await memory.add('Ann plays the cello')
 * const { results } = await memory.search('which instrument does she play?')
 * @throws SetupError BAD_CONFIG; opening problems come with the first use
 */
export async function openMemory(options: OpenMemoryOptions = {}): Promise<MemoryEngine> {
  const parsed = parseWith(optionsSchema(), options, 'options', 'BAD_CONFIG')
  const scope = parsed.scope === undefined ? undefined : parseScope(parsed.scope)
  const clock = checkedClock(parsed.clock ?? Date.now)
  const newId = uuidv7s()
  // One order for ids of records and of transactions: in a store they then lie side by side.
  const nextId = () => newId(clock())
  return createEngine(
    {
      store: await storeOf(parsed),
      ...(await searchPartsOf(parsed.embedder)),
      reranker: parsed.reranker ?? null,
      model: parsed.model ?? null,
      modelLimits: parsed.modelLimits,
      prompts: createPrompts(parsed.prompts),
      defaults: parsed.defaults,
      policies: createPolicies(parsed.kinds),
      journalReads: parsed.journalReads,
      clock,
      ids: parsed.ids ?? nextId,
      transactionIds: nextId,
      logger: parsed.logger ?? {},
    },
    scope,
  )
}

/** A clock that answers no time would write times that nobody can read back. */
function checkedClock(clock: Clock): Clock {
  return () => {
    const now = clock()
    if (Number.isFinite(now) && now >= 0 && now <= latest) return Math.floor(now)
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: 'The clock answered something that is no time. It must answer epoch milliseconds, as Date.now does.',
    })
  }
}

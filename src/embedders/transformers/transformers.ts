import type { Embedder } from '../../contract/index.ts'
import { EmbedderError, SetupError } from '../../errors/index.ts'
import { checkedVector } from '../checked-vector.ts'
import { requireDimensions, requireText } from '../configuration.ts'
import { type Prefixes, prefixFingerprint, prefixFor } from '../prefixes.ts'
import { type Dtype, type FeatureExtractor, importLibrary, type Pooling, type TransformersLibrary } from './library.ts'

export interface TransformersOptions extends Prefixes {
  /** Name of a folder below `localModelPath`, of a model in the library's cache, or of one to fetch if `allowRemote`. */
  readonly model: string
  /** Length of the model's vectors, e.g. 384. Every vector is checked against it. */
  readonly dimensions: number
  /** How the vectors of a text's tokens become one; the model's card says which. @default 'mean' */
  readonly pooling?: Pooling
  /** Which of the model's weight files; `q8` is the small quantised one. @default 'fp32' */
  readonly dtype?: Dtype
  /** Folder that holds model folders. @default the library's own setting */
  readonly localModelPath?: string
  /** Whether model files may be fetched from the network when they are not on this machine. @default false */
  readonly allowRemote?: boolean
  /** Gives the library, for programs that carry their own copy. @default imports `@huggingface/transformers` */
  readonly load?: () => Promise<TransformersLibrary>
}

/**
 * An embedder that runs a model on this machine with the optional package `@huggingface/transformers`.
 *
 * e5 models need `queryPrefix: 'query: '` and `documentPrefix: 'passage: '`; without them they rank clearly worse. Nothing is
 * fetched unless `allowRemote`. The model is loaded at the first text. Texts run one at a time: a quantised model gives a text
 * in a batch another vector than the same text alone (EMB-12).
 *
 * @throws SetupError BAD_CONFIG for unusable options; from `embed` DRIVER_MISSING without the package, BAD_CONFIG when the
 * model can't be loaded.
 * @throws EmbedderError from `embed`: EMBEDDER_UNAVAILABLE when the model can't be fetched or a run fails, EMBEDDER_BAD_OUTPUT
 * when a vector has another length.
 */
export function transformers(options: TransformersOptions): Embedder {
  const { model, dimensions, pooling = 'mean', dtype = 'fp32' } = options
  requireText(model, 'model', 'transformers')
  requireDimensions(dimensions, 'transformers')
  const id = `transformers:${model}:${dtype}:${pooling}${prefixFingerprint(options)}`
  let extractor: Promise<FeatureExtractor> | undefined
  return {
    id,
    dimensions,
    async embed(texts, { purpose, signal }) {
      signal?.throwIfAborted()
      const vectors: Float32Array[] = []
      for (const [position, text] of texts.entries()) {
        extractor ??= loadExtractor(options, id).catch((error: unknown) => {
          // A failed load is tried again by the next call, when the files may be there.
          extractor = undefined
          throw error
        })
        const run = await extractor
        signal?.throwIfAborted()
        const values = await runModel(run, prefixFor(options, purpose) + text, pooling, id, position)
        vectors.push(checkedVector(values, { id, dimensions }, position))
      }
      signal?.throwIfAborted()
      return vectors
    },
  }
}

async function runModel(
  run: FeatureExtractor,
  text: string,
  pooling: Pooling,
  id: string,
  position: number,
): Promise<ArrayLike<number>> {
  try {
    return (await run(text, { pooling, normalize: true })).data
  } catch {
    // Without the cause: a tokenizer's error may quote the text.
    throw new EmbedderError({
      code: 'EMBEDDER_UNAVAILABLE',
      message: `The model of ${id} failed on text ${position}. Check that it is a feature-extraction model and that memory suffices.`,
      details: { embedder: id },
    })
  }
}

/** Loads wait for each other, as where files may come from is a setting of the whole library. */
let lastLoad: Promise<unknown> = Promise.resolve()

async function loadExtractor(options: TransformersOptions, id: string): Promise<FeatureExtractor> {
  const library = await (options.load ?? importLibrary)()
  const load = lastLoad.then(() => loadModel(library, options, id))
  lastLoad = load.catch(() => undefined)
  return await load
}

async function loadModel(
  library: TransformersLibrary,
  options: TransformersOptions,
  id: string,
): Promise<FeatureExtractor> {
  const { env } = library
  const { model, dtype = 'fp32', localModelPath, allowRemote = false } = options
  const before = { allowRemoteModels: env.allowRemoteModels, localModelPath: env.localModelPath }
  // The option local_files_only is not enough: version 4 looks for config.json without passing it on.
  env.allowRemoteModels = allowRemote && before.allowRemoteModels
  if (localModelPath !== undefined) env.localModelPath = localModelPath
  try {
    return await library.pipeline('feature-extraction', model, { dtype, local_files_only: !allowRemote })
  } catch (cause) {
    throw cannotLoad(id, allowRemote, cause)
  } finally {
    env.allowRemoteModels = before.allowRemoteModels
    env.localModelPath = before.localModelPath
  }
}

function cannotLoad(id: string, allowRemote: boolean, cause: unknown): Error {
  const details = { embedder: id }
  if (allowRemote) {
    return new EmbedderError({
      code: 'EMBEDDER_UNAVAILABLE',
      message: `The model of ${id} could not be loaded or fetched; the library's error is the cause. Check the model's name and the network.`,
      details,
      cause,
    })
  }
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `The model of ${id} could not be loaded from this machine; the library's error is the cause. Put its files below localModelPath, or pass allowRemote: true to fetch them.`,
    details,
    cause,
  })
}

import { SetupError } from '../../errors/index.ts'

/** The part of `@huggingface/transformers` used here, so that its types need not be installed. */
export interface TransformersLibrary {
  readonly env: { allowRemoteModels: boolean; localModelPath: string }
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { readonly dtype: Dtype; readonly local_files_only: boolean },
  ): Promise<FeatureExtractor>
}

/** Which of a model's weight files to run. */
export type Dtype = 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4'

export type Pooling = 'mean' | 'cls' | 'last_token'

/** The vector of `text` is the `data` of what comes back. */
export type FeatureExtractor = (
  text: string,
  options: { readonly pooling: Pooling; readonly normalize: boolean },
) => Promise<{ readonly data: ArrayLike<number> }>

/**
 * The optional package, loaded when first needed.
 * @throws SetupError DRIVER_MISSING when it is not installed; BAD_CONFIG when it is but can't be loaded.
 */
export async function importLibrary(name: string = '@huggingface/transformers'): Promise<TransformersLibrary> {
  try {
    return await import(name)
  } catch (cause) {
    // A missing dependency of the package has the same code, but names another module.
    if (cause instanceof Error && isMissing(cause, name)) {
      throw new SetupError({
        code: 'DRIVER_MISSING',
        message: `The transformers() embedder needs the package ${name}. Install it: npm install ${name}`,
        details: { package: name },
        cause,
      })
    }
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: `The package ${name} is installed but can't be loaded; its error is the cause. Reinstall it for this platform.`,
      details: { package: name },
      cause,
    })
  }
}

function isMissing(error: Error, name: string): boolean {
  return 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
}

import { describe, expect, it } from 'vitest'
import { transformers } from './index.ts'
import { importLibrary, type TransformersLibrary } from './library.ts'

interface Run {
  readonly text: string
  readonly pooling: string
}

/** A library whose model answers with the length of the text. */
function fakeLibrary({ failures = 0 } = {}) {
  const runs: Run[] = []
  const loads: { model: string; allowRemoteModels: boolean; localModelPath: string; options: object }[] = []
  const library: TransformersLibrary = {
    env: { allowRemoteModels: true, localModelPath: 'before' },
    async pipeline(_task, model, options) {
      loads.push({ model, options, ...library.env })
      await Promise.resolve()
      if (loads.length <= failures) throw new Error('no such file')
      return async (text, { pooling }) => {
        runs.push({ text, pooling })
        if (text.includes('crash')) throw new Error(`cannot run ${text}`)
        return { data: text.includes('long') ? [1, 2, 3] : [text.length, 1] }
      }
    },
  }
  return { library, runs, loads, load: async () => library }
}

const document = { purpose: 'document' } as const

describe('transformers', () => {
  it('[EMB-10] without its package, the error says how to install it', async () => {
    await expect(importLibrary('mneme-package-that-is-not-there')).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringContaining('npm install mneme-package-that-is-not-there'),
    })
  })

  it('[EMB-11] prefixes go before questions and documents, and the document prefix is part of the id', async () => {
    const { load, runs } = fakeLibrary()
    const options = { model: 'e5-small-v2', dimensions: 2, load }
    const embedder = transformers({ ...options, queryPrefix: 'query: ', documentPrefix: 'passage: ' })
    expect(await embedder.embed(['abc'], { purpose: 'query' })).toEqual([Float32Array.of(10, 1)])
    await embedder.embed(['abc'], document)
    expect(runs.map(({ text }) => text)).toEqual(['query: abc', 'passage: abc'])
    expect(transformers(options).id).toBe('transformers:e5-small-v2:fp32:mean')
    expect(embedder.id).toMatch(/^transformers:e5-small-v2:fp32:mean#[0-9a-f]{8}$/)
    expect(transformers({ ...options, queryPrefix: 'query: ' }).id).toBe(transformers(options).id)
  })

  it('[EMB-12] texts run one at a time and the model is loaded once, at the first text', async () => {
    const { load, runs, loads } = fakeLibrary()
    const embedder = transformers({ model: 'm', dimensions: 2, pooling: 'cls', dtype: 'q8', load })
    expect(await embedder.embed([], document)).toEqual([])
    expect(loads).toHaveLength(0)
    await Promise.all([embedder.embed(['a', 'b'], document), embedder.embed(['c'], document)])
    expect(loads).toHaveLength(1)
    expect(loads[0]!.options).toEqual({ dtype: 'q8', local_files_only: true })
    expect(runs.map(({ text }) => text).sort()).toEqual(['a', 'b', 'c'])
    expect(new Set(runs.map(({ pooling }) => pooling))).toEqual(new Set(['cls']))
  })

  it('[EMB-10] nothing is fetched unless allowed, and the settings of the library are put back', async () => {
    const { load, loads, library } = fakeLibrary()
    const local = transformers({ model: 'm', dimensions: 2, localModelPath: '/models', load })
    const remote = transformers({ model: 'n', dimensions: 2, allowRemote: true, load })
    await Promise.all([local.embed(['a'], document), remote.embed(['a'], document)])
    expect(loads).toMatchObject([
      { model: 'm', allowRemoteModels: false, localModelPath: '/models' },
      { model: 'n', allowRemoteModels: true, localModelPath: 'before', options: { local_files_only: false } },
    ])
    expect(library.env).toEqual({ allowRemoteModels: true, localModelPath: 'before' })
  })

  it('[EMB-10] a model that can not be loaded is a set-up error, or an unavailable one if it may be fetched', async () => {
    const { load } = fakeLibrary({ failures: 1 })
    const local = transformers({ model: 'm', dimensions: 2, load })
    await expect(local.embed(['a'], document)).rejects.toMatchObject({ code: 'BAD_CONFIG', retryable: false })
    expect(await local.embed(['a'], document)).toHaveLength(1)
    const remote = transformers({
      model: 'm',
      dimensions: 2,
      allowRemote: true,
      load: fakeLibrary({ failures: 1 }).load,
    })
    await expect(remote.embed(['a'], document)).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', retryable: true })
  })

  it('[EMB-6] a vector of another length and a failed run are told apart, and no text is quoted', async () => {
    const embedder = transformers({ model: 'm', dimensions: 2, load: fakeLibrary().load })
    await expect(embedder.embed(['ok', 'long secret'], document)).rejects.toMatchObject({
      code: 'EMBEDDER_BAD_OUTPUT',
      message: expect.stringContaining('text 1'),
    })
    const error: unknown = await embedder.embed(['crash secret'], document).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' })
    expect((error as Error).cause).toBeUndefined()
    expect(String(error)).not.toContain('secret')
  })

  it('[EMB-3] a cancelled call throws the reason', async () => {
    const { load, runs } = fakeLibrary()
    const controller = new AbortController()
    const reason = new Error('enough')
    const embedder = transformers({ model: 'm', dimensions: 2, load })
    const running = embedder.embed(['a', 'b'], { ...document, signal: controller.signal })
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(runs).toEqual([])
  })

  it('[EMB-10] unusable options are refused at once', () => {
    expect(() => transformers({ model: '', dimensions: 2 })).toThrowError(
      expect.objectContaining({ code: 'BAD_CONFIG' }),
    )
    expect(() => transformers({ model: 'm', dimensions: 0 })).toThrowError(
      expect.objectContaining({ code: 'BAD_CONFIG' }),
    )
  })
})

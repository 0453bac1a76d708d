import { describe, expect, it } from 'vitest'
import { staticEn256 } from '../src/embedders/static-en-256/index.ts'
import { foldedForm, statementForm } from '../src/learning/statements/index.ts'
import { cosine } from '../src/vector/index.ts'
import { lookAlikes, paraphrases } from './fixtures/statement-pairs.ts'

const same = ([a, b]: readonly [string, string]) => statementForm(a) === statementForm(b)

describe('what states the same', () => {
  it.each(lookAlikes)('[CSL-3] %s / %s: two statements', (a, b) => {
    expect(statementForm(a)).not.toBe(statementForm(b))
    expect(foldedForm(a)).not.toBe(foldedForm(b))
  })

  it('[CSL-3] of the paraphrases most are recognised, of the look-alikes none', () => {
    const missed = paraphrases.filter((pair) => !same(pair))
    const recall = 1 - missed.length / paraphrases.length
    console.info(
      `statement form: ${lookAlikes.length} look-alikes, ${lookAlikes.filter(same).length} merged; ` +
        `${paraphrases.length} paraphrases, recall ${recall.toFixed(2)}; missed: ${missed.map((pair) => pair.join(' / ')).join('; ')}`,
    )
    expect(lookAlikes.filter(same)).toEqual([])
    expect(recall).toBeGreaterThan(0.8)
  })

  it('[CSL-3] nearness of meaning can not tell them apart: look-alikes are nearer to each other than paraphrases', async () => {
    const embedder = staticEn256()
    const nearness = async (pairs: readonly (readonly [string, string])[]) => {
      const vectors = await embedder.embed(pairs.flat(), { purpose: 'document' })
      const found = pairs.map((_, i) => cosine(vectors[2 * i] as Float32Array, vectors[2 * i + 1] as Float32Array))
      return found.sort((a, b) => a - b)
    }
    const alike = await nearness(lookAlikes)
    const equal = await nearness(paraphrases)
    const middle = (sorted: readonly number[]) => sorted[sorted.length >> 1] as number
    console.info(
      `cosines: look-alikes median ${middle(alike).toFixed(2)}, highest ${alike.at(-1)?.toFixed(3)}; paraphrases median ` +
        `${middle(equal).toFixed(2)}, lowest ${equal[0]?.toFixed(2)}; look-alikes above the median paraphrase: ` +
        `${alike.filter((one) => one >= middle(equal)).length}`,
    )
    // Whatever bound keeps all look-alikes apart keeps most paraphrases apart too.
    expect(equal.filter((one) => one <= (alike.at(-1) as number)).length).toBeGreaterThan(paraphrases.length / 2)
  })
})

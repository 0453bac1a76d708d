import { z } from 'zod'
import { assembleContext, counterField } from '../../context/index.ts'
import { InputError } from '../../errors/index.ts'
import { localTime } from '../../model/index.ts'
import { contextSections, counterFor } from '../../text/index.ts'
import type { ContextResult } from '../api/context.ts'
import { type Made, made } from '../keyed.ts'
import { defineVerb, kindsField, readOptions, tagsField } from '../verb.ts'
import { candidatesOf } from './context-candidates.ts'
import { readSources } from './context-sources.ts'

/** Room for a page of memories: what a prompt can spare beside its task. */
const defaultTokens = 1200

function checkedZone(zone: string): string {
  try {
    localTime(0, zone)
    return zone
  } catch (cause) {
    throw new InputError({
      code: 'INVALID_TIME',
      message: 'zone: is not known here. Give an IANA name such as "Europe/Berlin" or an offset such as "+02:00".',
      details: { field: 'zone' },
      cause,
    })
  }
}

export const context = defineVerb({
  name: 'context',
  summary: 'Memories as one text for a model, within a budget of tokens.',
  positional: ['query'],
  input: () =>
    z.strictObject({
      query: z.string(),
      budget: z
        .strictObject(
          { tokens: z.int().min(0).optional(), counter: counterField() },
          'must be an object such as { tokens: 300 }',
        )
        .optional(),
      format: z.enum(['markdown', 'xml', 'text']).optional(),
      profile: z.boolean().optional(),
      cite: z.boolean().optional(),
      zone: z.string().optional(),
      kinds: kindsField(),
      filter: z.unknown().optional(),
      tags: tagsField(),
      sections: z.array(z.enum(contextSections)).min(1).optional(),
      minScore: z.number().min(0).max(1).optional(),
      touch: z.boolean().optional(),
      ...readOptions,
    }),
  writes: false,
  ...made,
  example: 'mneme context "Where does Ann live?" --user ann --tokens 300',
  async run(call, input): Promise<Made<ContextResult>> {
    const { budget, format = 'markdown', cite = true, profile = true, touch = true, query } = input
    const counter = counterFor(budget?.counter)
    const sections = contextSections.filter(
      (section) => (input.sections?.includes(section) ?? true) && (profile || section !== 'profile'),
    )
    const zone = checkedZone(input.zone ?? 'UTC')
    const asked = { ...input, sections, zone }
    const sources = await readSources(call, asked)
    const { candidates, records, belowThreshold, untrusted } = candidatesOf(sources, asked, call.core.clock())
    const { degraded } = sources
    const tokens = budget?.tokens ?? defaultTokens
    const made = assembleContext(candidates, { tokens, counter, format, cite, query, sections })
    const considered = new Set(candidates.map(({ id }) => id))
    const ids = made.items.map(({ id }) => id)
    if (touch && ids.length > 0) call.core.touches.add(ids, call.core.clock())
    return {
      from: ids.flatMap((id) => records.get(id) ?? []),
      answer: {
        text: made.text,
        tokens: made.tokens,
        counter: { name: counter.name, exact: counter.exact },
        items: made.items,
        omitted: [
          ...made.omitted,
          ...untrusted.map((id) => ({ id, why: 'untrusted' as const })),
          ...belowThreshold.filter((id) => !considered.has(id)).map((id) => ({ id, why: 'below threshold' as const })),
        ],
        ...(degraded.length > 0 ? { degraded } : {}),
      },
    }
  },
})

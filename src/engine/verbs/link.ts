import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import { equalJson, type Link, madeOnce, parseMetadata } from '../../model/index.ts'
import { reachScope } from '../access.ts'
import type { LinkResult } from '../api/write-results.ts'
import { type Call, idField, writeOptions } from '../verb.ts'
import { type Answered, defineWrite, outcomeOf, requireRecord } from '../write-verb.ts'

const typeField = madeOnce(() => z.string().min(1).max(256))

async function existingLink(
  call: Call,
  from: string,
  to: string,
  type: string,
  scope: unknown,
): Promise<Link | undefined> {
  const links = await call.core.store.links(reachScope(call.access, scope), [from])
  return links.find((link) => link.from === from && link.to === to && link.type === type)
}

function answerLink(answered: Answered): LinkResult {
  return { link: answered.extra as unknown as Link | null, ...outcomeOf(answered) }
}

export const link = defineWrite({
  name: 'link',
  summary: 'Connect two memories.',
  positional: ['from', 'to'],
  input: () =>
    z.strictObject({
      from: idField(),
      to: idField(),
      type: typeField(),
      weight: z.number().min(0).max(1).optional(),
      metadata: z.unknown().optional(),
      ...writeOptions,
    }),
  example: 'mneme link ID ID --type "works at" --user ann',
  async plan(call, input) {
    if (input.from === input.to) {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: 'link: a memory is not linked to itself. Give two different ids.',
      })
    }
    await requireRecord(call, input.from, input.scope, input.signal)
    await requireRecord(call, input.to, input.scope, input.signal)
    const made: Link = {
      from: input.from,
      to: input.to,
      type: input.type,
      weight: input.weight ?? 1,
      metadata: input.metadata === undefined ? {} : parseMetadata(input.metadata, 'metadata'),
    }
    const existing = await existingLink(call, made.from, made.to, made.type, input.scope)
    const steps = existing && equalJson(existing, made) ? [] : [{ type: 'link' as const, link: made }]
    return { steps, refs: [], extra: { ...made } }
  },
  answer: answerLink,
})

export const unlink = defineWrite({
  name: 'unlink',
  summary: 'Take a link between two memories away.',
  positional: ['from', 'to'],
  input: () => z.strictObject({ from: idField(), to: idField(), type: typeField(), ...writeOptions }),
  example: 'mneme unlink ID ID --type "works at" --user ann',
  async plan(call, input) {
    const existing = await existingLink(call, input.from, input.to, input.type, input.scope)
    if (!existing) return { steps: [], refs: [], extra: null }
    return { steps: [{ type: 'unlink', link: existing }], refs: [], extra: { ...existing } }
  },
  answer: answerLink,
})

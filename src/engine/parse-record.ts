import { InputError } from '../errors/index.ts'
import { parseNewMemory, type RecordDraft, type Scope } from '../model/index.ts'
import { conflictData, conflictKind } from './conflict-steps.ts'

/**
 * What a record of an export or a plan says, checked as what a caller adds; contradictions, which callers can't add, are read too.
 * @throws InputError INVALID_RECORD, INVALID_TIME or UNKNOWN_FIELD
 */
export function parseRecordFields(
  given: Readonly<Record<string, unknown>>,
  scope: Scope,
  what: string,
): Omit<RecordDraft, 'id'> & { readonly id?: string } {
  if (given.kind !== conflictKind) return parseNewMemory(given, { scope }, what).draft
  const { kind, ...rest } = given
  const draft = { ...parseNewMemory(rest, { scope }, what).draft, kind }
  if (conflictData(draft)) return draft
  throw new InputError({
    code: 'INVALID_RECORD',
    message: `${what}.data: does not say which two records contradict each other.`,
    details: { path: `${what}.data` },
  })
}

import { z } from 'zod'
import { madeOnce } from '../model/index.ts'

/** Longest name of a skill or a tool, in characters. */
export const maxName = 512
/** Longest line, such as a description or a trigger. */
export const maxLine = 4096
/** Longest text, such as a step. */
export const maxText = 65_536
/** Greatest version and count of uses. */
export const maxCount = 1_000_000_000

export function text(most: number) {
  return z
    .string('must be a string')
    .max(most, `longer than ${most} characters`)
    .refine((value) => value.isWellFormed() && !value.includes('\u0000'), 'must not contain NUL or lone surrogates')
}

export function filled(most: number) {
  return text(most).refine((value) => value.trim() !== '', 'must not be empty')
}

export const count = madeOnce(() => z.int().min(0).max(maxCount))

export const versionField = madeOnce(() => z.int().min(1).max(maxCount))

import { z } from 'zod'
import { madeOnce } from '../model/index.ts'

const weight = madeOnce(() => z.number().min(0).max(10))

/** Engine-wide defaults that a call may override. */
export const defaultsSchema = madeOnce(() =>
  z.strictObject({
    /** Results of a search. 1..1000. @default 10 */
    limit: z.int().min(1).max(1000).default(10),
    /** Memories that a summary is made from. 1..1000. @default 20 */
    summaryLimit: z.int().min(1).max(1000).default(20),
    /** Of a new memory, 0..1. @default 0.5 */
    importance: z.number().min(0).max(1).default(0.5),
    weights: z
      .strictObject({ recency: weight().default(1), importance: weight().default(1), reliability: weight().default(1) })
      .default({ recency: 1, importance: 1, reliability: 1 }),
    /** @default 72 */
    recencyHalfLifeHours: z.number().positive().default(72),
    /** @default 'createdAt' */
    recencyAnchor: z.enum(['createdAt', 'updatedAt', 'lastAccessedAt']).default('createdAt'),
    /** Most alike memories that a new fact is compared with. 1..50. @default 5 */
    similar: z.int().min(1).max(50).default(5),
  }),
)

export type EngineDefaults = z.infer<ReturnType<typeof defaultsSchema>>

import { describe, it } from 'vitest'
import { freshName, postgresUrl, redisUrl } from '../../../test/fixtures/servers.ts'
import { testFile } from '../../../test/fixtures/stores.ts'
import { tieredTarget } from '../../../test/fixtures/tiered-target.ts'
import { conformanceCases, describeConformance } from '../../conformance/index.ts'
import { postgres } from '../postgres/index.ts'
import { sqlite } from '../sqlite/index.ts'

const redisAt = await redisUrl()
const postgresAt = await postgresUrl()

const overFile = (path: string) => sqlite({ path })
const overSchema = (schema: string) => postgres({ url: postgresAt ?? undefined, schema, poolSize: 3 })

describe.skipIf(redisAt === null)('tiered', () => {
  describeConformance(
    tieredTarget({ name: 'redis over sqlite', make: overFile, fresh: testFile, mode: 'write-through' }),
    { describe, it },
  )
  describeConformance(tieredTarget({ name: 'redis over sqlite', make: overFile, fresh: testFile, mode: 'session' }), {
    describe,
    it,
  })
  // What the cold store does and sqlite does not: it searches.
  describe.skipIf(postgresAt === null)('over a store that searches', () => {
    describeConformance(
      {
        ...tieredTarget({ name: 'redis over postgres', make: overSchema, fresh: freshName, mode: 'write-through' }),
        facets: ['text', 'vectors', 'turns'],
        judges: true,
      },
      { describe, it },
      conformanceCases.filter(({ rule }) => /^STO-(?:TXT|VEC|TRN|JDG|SHR|DER)-/.test(rule)),
    )
  })
})

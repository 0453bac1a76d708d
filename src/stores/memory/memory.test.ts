import { describe, it } from 'vitest'
import { describeConformance } from '../../conformance/index.ts'
import { memory } from './index.ts'

describeConformance({ name: 'memory', create: memory }, { describe, it })

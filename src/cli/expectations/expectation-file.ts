import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import { isDeepYaml, madeOnce, type NewMemory, parseScope, parseWith, type Scope } from '../../model/index.ts'

/** What a question must bring to light, within how many tokens, and what it must never bring. */
export interface Expectation {
  readonly ask: string
  readonly within: number
  readonly show: readonly string[]
  readonly never: readonly string[]
}

/** One test: what is remembered and said, and what is expected of it. */
export interface ExpectationTest {
  readonly name: string
  /** Undefined: the user of the command line. */
  readonly scope: Scope | undefined
  readonly mode: 'auto' | 'model' | 'rules' | 'verbatim'
  readonly memories: readonly (string | NewMemory)[]
  readonly turns: readonly unknown[]
  readonly expect: readonly Expectation[]
}

const roles = ['user', 'assistant', 'system', 'tool'] as const
const texts = madeOnce(() =>
  z.union([
    z
      .string()
      .min(1)
      .transform((text) => [text]),
    z.array(z.string().min(1)),
  ]),
)

/** `{ user: 'I live in Bonn' }` is short for `{ role: 'user', content: 'I live in Bonn' }`. */
function turnOf(given: unknown): unknown {
  if (typeof given === 'string') return { role: 'user', content: given }
  if (typeof given !== 'object' || given === null) return given
  const role = roles.find((name) => Object.hasOwn(given, name))
  if (role === undefined) return given
  const { [role]: content, ...rest } = given as Record<string, unknown>
  return { role, content, ...rest }
}

const expectationSchema = madeOnce(() =>
  z
    .strictObject({
      ask: z.string().min(1),
      within: z.int().min(0).max(1_000_000).default(1200),
      show: texts().default([]),
      never: texts().default([]),
    })
    .refine(({ show, never }) => show.length + never.length > 0, 'needs something to show, or something never to show'),
)

const testSchema = madeOnce(() =>
  z.strictObject({
    name: z.string().min(1).max(1000),
    scope: z.unknown().optional(),
    mode: z.enum(['auto', 'model', 'rules', 'verbatim']).default('auto'),
    memories: z
      .array(z.union([z.string(), z.looseObject({})]))
      .max(10_000)
      .default([]),
    turns: z.array(z.unknown()).max(10_000).default([]),
    expect: z.array(expectationSchema()).min(1, 'needs at least one expectation').max(10_000),
  }),
)

const fileSchema = madeOnce(() => z.strictObject({ tests: z.array(z.unknown()).min(1, 'has no tests').max(10_000) }))

function unreadable(where: string, cause: unknown): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `The file can't be read as YAML or JSON: ${where}. mneme test --help shows its form.`,
    cause,
  })
}

async function readYaml(text: string): Promise<unknown> {
  if (await isDeepYaml(text)) throw unreadable('it is nested too deep', undefined)
  const { parseDocument } = await import('yaml')
  // A warning would print what the file says.
  const document = parseDocument(text, { logLevel: 'error' })
  const [error] = document.errors
  if (error) throw unreadable(`line ${error.linePos?.[0].line ?? 1}`, error)
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (cause) {
    throw unreadable('an alias names nothing, or aliases make it endless', cause)
  }
}

/**
 * Reads a file of expectations, YAML or JSON: `{ tests: [{ name, scope?, mode?, memories?, turns?, expect: [{ ask, within?, show?, never? }] }] }`.
 * @throws InputError naming the test and the field that is wrong
 */
export async function readExpectations(text: string): Promise<readonly ExpectationTest[]> {
  const { tests } = parseWith(fileSchema(), await readYaml(text), 'file')
  return tests.map((given, i) => {
    const what = `tests[${i}]`
    const test = parseWith(testSchema(), given, what)
    return {
      ...test,
      scope: test.scope === undefined ? undefined : parseScope(test.scope),
      memories: test.memories as readonly (string | NewMemory)[],
      turns: test.turns.map(turnOf),
    }
  })
}

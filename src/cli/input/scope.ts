import { InputError } from '../../errors/index.ts'
import type { Scope } from '../../model/index.ts'
import type { CliIo } from '../io.ts'
import type { TypedPlace } from '../settings.ts'
import type { OptionSpec } from './option-specs.ts'

/** The dimensions of a scope, as options. */
export const scopeOptions: readonly (OptionSpec & { readonly dimension: keyof Scope })[] = [
  { name: 'user', kind: 'text', required: false, dimension: 'userId' },
  { name: 'agent', kind: 'text', required: false, dimension: 'agentId' },
  { name: 'session', kind: 'text', required: false, dimension: 'sessionId' },
  { name: 'app', kind: 'text', required: false, dimension: 'appId' },
]

/** Repeated, outermost segment first. Not a list with commas: a segment may hold one. */
export const namespaceOption = 'namespace'

/** The scope that the options name; undefined when they name none. */
export function scopeOf(given: Readonly<Record<string, unknown>>): Scope | undefined {
  const scope: Record<string, unknown> = {}
  for (const { name, dimension } of scopeOptions) if (given[name] !== undefined) scope[dimension] = given[name]
  if (given[namespaceOption] !== undefined) scope.namespace = given[namespaceOption]
  return Object.keys(scope).length === 0 ? undefined : (scope as Scope)
}

function shellWord(text: string): string {
  return /^[\w.@:/+~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A place as it is typed: `--db ./memory.db --user ann --session 's 1'`. An address is left out: it may hold a password. */
export function placeOf({ db, store }: TypedPlace, scope: Scope | undefined): string {
  const { namespace = [] } = scope ?? {}
  const named: [string, string | undefined][] = [
    ['db', db],
    ['store', store?.includes('://') ? undefined : store],
    ...scopeOptions.map(({ name, dimension }): [string, string | undefined] => [name, scope?.[dimension] as string]),
    ...namespace.map((segment): [string, string] => [namespaceOption, segment]),
  ]
  return named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${shellWord(value)}`])).join(' ')
}

/** The operating system's user. @throws InputError SCOPE_REQUIRED when it has no name for them */
export function systemUser(io: CliIo): string {
  let name = ''
  try {
    name = io.userName()
  } catch {
    // No entry in the system's list of users, as in some containers; the environment may know.
    name = io.env.USER ?? io.env.LOGNAME ?? ''
  }
  if (name !== '') return name
  throw new InputError({
    code: 'SCOPE_REQUIRED',
    message: 'The operating system has no name for this user. Say whose memory it is with --user NAME.',
  })
}

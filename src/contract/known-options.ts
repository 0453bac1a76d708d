import { SetupError } from '../errors/index.ts'

/**
 * The options of a store as they were given. A misspelt one would be passed over without a word, and its default would hold.
 * @param who begins messages, such as `sqlite store`
 * @param names all options there are
 * @throws SetupError BAD_CONFIG for an option that there is not, by its name and never with its value
 */
export function knownOptions<Options extends object>(
  who: string,
  options: Options | undefined,
  names: Readonly<Record<keyof Options, true>>,
): Partial<Options> {
  const refuse = (why: string) => new SetupError({ code: 'BAD_CONFIG', message: `${who}: ${why}.` })
  const known = Object.keys(names)
  if (options === undefined) return {}
  // An address in place of options is not to be shown: it may hold a password.
  if (typeof options !== 'object' || options === null) throw refuse(`options must be an object of ${known.join(', ')}`)
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  if (unknown !== undefined) throw refuse(`knows no option ${JSON.stringify(unknown)}. There are ${known.join(', ')}`)
  return options
}

import { ownParameter } from './own-parameter.ts'
import { refuse } from './refuse.ts'
import type { Given, StoreSpec } from './schemes.ts'

/** The address: the text itself, or what a variable says where the text is the scheme alone. @throws SetupError BAD_CONFIG */
function addressOf({ text, rest, label, env }: Given, variable: string, example: string): string {
  if (rest.startsWith('//')) return text
  const found = env[variable]
  if (rest === '' && found) return found
  throw refuse(label, `needs an address: write ${example}, or set ${variable}.`)
}

/** Host and path of an address, and which of several memories there: what may be shown of it. */
function placeAt(scheme: string, address: string, part: string, name: string | undefined): string {
  const url = URL.canParse(address) ? new URL(address) : null
  const place = url ? `${scheme} at ${url.host}${url.pathname}` : scheme
  return name === undefined ? place : `${place}, ${part} ${name}`
}

export function postgresSpec(given: Given): StoreSpec {
  const [url, schema] = ownParameter(addressOf(given, 'MNEME_POSTGRES_URL', 'postgres://localhost/memory'), 'schema')
  return {
    name: placeAt('postgres', url, 'schema', schema),
    async make() {
      const { postgres } = await import('../../stores/postgres/index.ts')
      return postgres({ url, schema })
    },
  }
}

export function boltSpec(given: Given): StoreSpec {
  const [url, namespace] = ownParameter(addressOf(given, 'MNEME_BOLT_URL', 'bolt://localhost:7687'), 'namespace')
  const { MNEME_BOLT_USER, MNEME_BOLT_PASSWORD, MNEME_BOLT_DATABASE } = given.env
  const parsed = URL.canParse(url) ? new URL(url) : null
  // What the address says goes first: it is the nearer.
  const user = parsed?.username ? undefined : MNEME_BOLT_USER || undefined
  const password = parsed?.password ? undefined : MNEME_BOLT_PASSWORD || undefined
  const database = (parsed?.pathname ?? '').length > 1 ? undefined : MNEME_BOLT_DATABASE || undefined
  return {
    name: placeAt('bolt', url, 'namespace', namespace),
    async make() {
      const { bolt } = await import('../../stores/bolt/index.ts')
      return bolt({ url, namespace, user, password, database })
    },
  }
}

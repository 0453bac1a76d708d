import { matchesScope, type Scope, type ScopeFilter, type ScopeRule, scopeKey } from '../../model/index.ts'

const labels = ['userId', 'sessionId', 'agentId', 'appId'] as const

/** The exact scopes that are in use, each with a number. */
export class ScopeDirectory {
  readonly scopes: Scope[] = []
  readonly keys: string[] = []
  readonly #numbers = new Map<string, number>()
  // Per dimension and value: what a rule has to look at, so that scopes of others cost nothing.
  readonly #byLabel = new Map<string, number[]>()
  readonly #matches = new Map<string, readonly number[]>()

  /** The number of an exact scope, made when it is new. */
  numberOf(scope: Scope): number {
    const key = scopeKey(scope)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.scopes.length
    this.#numbers.set(key, number)
    this.scopes.push(scope)
    this.keys.push(key)
    for (const label of labelsOf(scope)) push(this.#byLabel, label, number)
    this.#matches.clear()
    return number
  }

  /** The numbers of all scopes that a filter lets through, ascending. */
  matching(filter: ScopeFilter, filterKey: string): readonly number[] {
    const known = this.#matches.get(filterKey)
    if (known !== undefined) return known
    const suspects = filter.rules === 'all' ? this.scopes.keys() : this.#suspects(filter.rules)
    const found = [...suspects].filter((number) => matchesScope(filter, this.scopes[number]!)).sort((a, b) => a - b)
    if (this.#matches.size >= 64) this.#matches.clear()
    this.#matches.set(filterKey, found)
    return found
  }

  #suspects(rules: readonly ScopeRule[]): Set<number> {
    const suspects = new Set<number>()
    for (const rule of rules) {
      for (const number of this.#suspectsOf(rule)) suspects.add(number)
    }
    return suspects
  }

  #suspectsOf(rule: ScopeRule): readonly number[] {
    if (rule.type === 'exact') {
      const number = this.#numbers.get(scopeKey(rule.scope))
      return number === undefined ? [] : [number]
    }
    const lists = labelsOf(rule.scope).map((label) => this.#byLabel.get(label) ?? [])
    return lists.reduce((shortest, list) => (list.length < shortest.length ? list : shortest))
  }
}

function labelsOf(scope: Scope): string[] {
  const set = labels.flatMap((dimension) => {
    const value = scope[dimension]
    return value === undefined ? [] : [`${dimension}:${value}`]
  })
  const outermost = scope.namespace?.[0]
  return outermost === undefined ? set : [...set, `namespace:${outermost}`]
}

function push(lists: Map<string, number[]>, key: string, number: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [number])
  else list.push(number)
}

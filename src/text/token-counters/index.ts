export { checkedCounter, counterFor, inconsistentCounter } from './checked-counter.ts'
export { countTokens, getTokenCounter, type TokenProvider } from './get-token-counter.ts'
export { prefixWithin } from './prefix-within.ts'
export { wordCounter } from './word-counter.ts'

import type { TextSearch } from '../../contract/index.ts'
import { idf } from '../../text/index.ts'
import { topK } from '../../vector/index.ts'
import type { IndexState } from './index-state.ts'
import { byId, narrowing } from './narrowing.ts'
import { scoreAll } from './score-terms.ts'
import { SlotHit } from './slot-hit.ts'
import { findTerms, termQuery } from './term-query.ts'
import type { VisibleSet } from './visible-set.ts'

/** BM25 over the records of an index (IDX-1). */
export function textSearch(current: () => IndexState): TextSearch {
  return {
    async match(scope, terms, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const query = termQuery(terms)
      const { segments, frequencies } = findTerms(state, visible, query)
      const { documents } = visible
      const weights = frequencies.map((having) => idf(having, documents))
      const best = topK(window.limit, byId(state))
      scoreAll(segments, {
        state,
        visible,
        places: query.places,
        times: query.terms.map((_, term) => query.places.filter((place) => place === term).length),
        weights,
        average: averageLength(visible),
        best,
        limit: window.limit,
        allowed: narrowing(state, window),
      })
      return {
        hits: best.ranked().map(({ item, score }) => new SlotHit(state, item, score)),
        documents,
        idfs: query.places.map((term) => weights[term]!),
      }
    },
  }
}

export function averageLength({ lengths, documents }: VisibleSet): number {
  return documents === 0 ? 0 : lengths / documents
}

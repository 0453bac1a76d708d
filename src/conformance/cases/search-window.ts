import type { SearchWindow } from '../../contract/index.ts'

/** Live records, nothing expired, the first hundred. */
export function searchWindow(fields: Partial<SearchWindow> = {}): SearchWindow {
  return { statuses: ['live'], now: 0, limit: 100, ...fields }
}

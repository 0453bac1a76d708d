import type { SearchWindow } from '../../contract/index.ts'

/** Live records, nothing expired, up to a thousand. */
export function searchWindow(fields: Partial<SearchWindow> = {}): SearchWindow {
  return { statuses: ['live'], now: 0, limit: 1000, ...fields }
}

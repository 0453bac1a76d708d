import type { TableOptions } from '../table.ts'

/** The tables that searching needs beside the records; made with them. */
export function searchTables(_options: TableOptions): readonly string[] {
  return []
}

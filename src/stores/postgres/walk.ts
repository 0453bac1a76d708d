import type { Query } from './database.ts'
import type { Row } from './driver.ts'

const batch = 1000

/** All rows in order of some columns. The first parameters of the text are the last values seen. */
export async function* walk(
  query: Query,
  text: string,
  columns: readonly string[],
  before: readonly unknown[],
  more: readonly unknown[] = [],
): AsyncGenerator<Row> {
  for (let last = before; ; ) {
    const rows = await query(`${text} LIMIT ${batch}`, [...last, ...more])
    yield* rows
    if (rows.length < batch) return
    last = columns.map((column) => rows.at(-1)?.[column])
  }
}

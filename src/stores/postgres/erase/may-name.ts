/** For more ids than this the database would compare longer than it takes to look at all that is there. */
const most = 32

/** A condition on a column of JSON: true where it names one of the ids, and maybe somewhere else. One parameter, or none. */
export function mayName(
  column: string,
  ids: ReadonlySet<string>,
): { readonly condition: string; readonly values: readonly unknown[] } {
  if (ids.size > most) return { condition: 'true', values: [] }
  return {
    condition: `EXISTS (SELECT FROM unnest($1::text[]) name WHERE position(name IN ${column}) > 0)`,
    values: [[...ids].map((id) => JSON.stringify(id))],
  }
}

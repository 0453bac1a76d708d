/** Values of a statement that is put together piece by piece. */
export interface Parameters {
  /** @returns the place of the value in the statement, such as `$3` */
  add(value: unknown): string
  readonly values: readonly unknown[]
}

export function createParameters(): Parameters {
  const values: unknown[] = []
  return {
    values,
    add(value) {
      values.push(value)
      return `$${values.length}`
    },
  }
}

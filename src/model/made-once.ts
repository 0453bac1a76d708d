/**
 * A value that is made when it is first asked for, and kept. Schemas are made so: all of them together take longer than
 * the rest of `import 'mneme'`, and most processes need a few.
 */
export function madeOnce<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

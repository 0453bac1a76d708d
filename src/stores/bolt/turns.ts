/** Runs work of one owner after the other in this process, so that it waits here and not with a connection in its hands. */
export type Turns = <T>(owners: Iterable<string>, work: () => Promise<T>) => Promise<T>

export function takeTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return async (owners, work) => {
    const mine = [...owners]
    const before = mine.flatMap((owner) => last.get(owner) ?? [])
    const result = Promise.all(before).then(work)
    // The caller gets the failure; the next one in line must not.
    const done = result.catch(() => undefined)
    for (const owner of mine) last.set(owner, done)
    try {
      return await result
    } finally {
      for (const owner of mine) if (last.get(owner) === done) last.delete(owner)
    }
  }
}

import { turns } from '../vector/index.ts'

/** Like `items.map(make)`, but other work of the process gets its turn every few milliseconds. @throws `signal.reason` when aborted meanwhile */
export async function mapInTurns<T, Made>(
  items: readonly T[],
  make: (item: T, place: number) => Made,
  signal?: AbortSignal,
): Promise<Made[]> {
  const turn = turns({ signal })
  const made: Made[] = []
  for (const [place, item] of items.entries()) {
    if (turn.isOver) await turn.pause()
    made.push(make(item, place))
  }
  return made
}

/** A clock that stands still until a test moves it. Call it for the time. */
export interface FixedClock {
  /** Epoch milliseconds. */
  (): number
  /** Moves on, or back when negative; returns the new time. */
  advance(milliseconds: number): number
  set(time: number | string): void
}

function epoch(time: number | string): number {
  return typeof time === 'string' ? Date.parse(time) : time
}

/**
 * Makes a clock for tests: pass it to `openMemory({ clock })`.
 * @param start epoch milliseconds or an ISO time. @default 2026-01-01T00:00:00Z
 */
export function fixedClock(start: number | string = '2026-01-01T00:00:00Z'): FixedClock {
  let now = epoch(start)
  return Object.assign(() => now, {
    advance(milliseconds: number) {
      now += milliseconds
      return now
    },
    set(time: number | string) {
      now = epoch(time)
    },
  })
}

import type { CliIo } from '../io.ts'

/** A bar that grows; nothing at all where stderr is no terminal (CLI-9). */
export interface Progress {
  update(done: number, total: number): void
  stop(): void
}

/** `unit` is what is counted, such as `records`. */
export async function startProgress(io: CliIo, title: string, unit: string): Promise<Progress> {
  if (!io.isTerminal.stderr) return { update() {}, stop() {} }
  const { default: bars } = await import('cli-progress')
  const bar = new bars.SingleBar({
    stream: io.stderr,
    format: `${title} {bar} {value}/{total} ${unit}, {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    etaBuffer: 100,
  })
  let started = false
  return {
    update(done, total) {
      if (!started) bar.start(total, done)
      started = true
      bar.setTotal(total)
      bar.update(done)
    },
    stop() {
      if (started) bar.stop()
    },
  }
}

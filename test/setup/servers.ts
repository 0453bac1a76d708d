import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { instancesOf, services, stopInstance } from '../fixtures/services.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of this run: what the names of its servers begin with, and a folder for word of those that could not be started. */
    serverRun: { readonly name: string; readonly folder: string }
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Stops servers of runs that `isOver` says are over, by the process id in their names. */
async function stopServers(isOver: (pid: number) => boolean): Promise<void> {
  const stops = services.map(async (service) => {
    for (const name of await instancesOf(service)) {
      const pid = /^test-(\d+)-/.exec(name)?.[1]
      if (pid !== undefined && isOver(Number(pid))) await stopInstance(service, name)
    }
  })
  await Promise.all(stops)
}

/** Nothing is started here, but by the first test that asks. Servers of a run that was killed are stopped by the next one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await stopServers((pid) => !isAlive(pid))
  const folder = mkdtempSync(join(tmpdir(), 'mneme-servers-'))
  project.provide('serverRun', { name: `test-${process.pid}`, folder })
  return async () => {
    await stopServers((pid) => pid === process.pid)
    rmSync(folder, { recursive: true, force: true })
  }
}

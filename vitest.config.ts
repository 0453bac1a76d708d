import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/setup/fuzz-runs.ts'],
    globalSetup: ['test/setup/servers.ts'],
    pool: 'forks',
    // Tests of servers wait more than they work.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { keepCompiled } from './scripts/compile-cache.ts'
import { SlowFirst } from './scripts/test-run/slow-first.ts'
import { v8Flags } from './scripts/test-run/v8-flags.ts'

keepCompiled()

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['{src,web/src,test,examples,scripts}/**/*.test.ts'],
    // Patience and no bound: on a busy machine, what usually takes a second took more than twenty.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is looked at again and again is given up with its test, and not after a second, which a busy machine takes for nothing.
    expect: { poll: { timeout: 120_000 } },
    // What differs is told whole: the last lines of a run are all that some readers have of it.
    chaiConfig: { truncateThreshold: 0 },
    pool: 'forks',
    sequence: { sequencer: SlowFirst },
    execArgv: [...v8Flags],
    // Three files at a time on two processors: a third of the time of two was spent waiting for brokers.
    maxWorkers: 3,
    setupFiles: ['test/keep-type-stripping.ts'],
    // Names made from tables are shown whole: docs/requirements.md refers to them.
    taskTitleValueFormatTruncate: 0,
  },
})

export default config

import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 2,
    // Names made from tables are shown whole: docs/requirements.md refers to them.
    taskTitleValueFormatTruncate: 0,
  },
})

export default config

import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 2,
    // With test/keep-type-stripping.ts: V8 does not always survive it when code of WebAssembly is freed.
    execArgv: ['--no-wasm-code-gc'],
    setupFiles: ['test/keep-type-stripping.ts'],
    // Names made from tables are shown whole: docs/requirements.md refers to them.
    taskTitleValueFormatTruncate: 0,
  },
})

export default config

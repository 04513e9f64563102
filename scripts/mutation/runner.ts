import { type RunnerTestCase, type RunnerTestFile, type SerializedConfig, TestRunner } from 'vitest'
import { notes, strykerNamespace, threadMs } from './protocol.ts'

/** The runner of vitest that runs only the tests wanted, stops at the first that fails, and lets Stryker's code know which test it is in. */
export default function runnerThatStops(config: SerializedConfig): TestRunner {
  const runner = new TestRunner(config)
  const original = {
    before: runner.onBeforeRunTask.bind(runner),
    after: runner.onAfterRunTask.bind(runner),
    end: runner.onAfterRunFiles.bind(runner),
  }
  let startedAt = 0
  return Object.assign(runner, {
    onBeforeRunTask: async (test: RunnerTestCase): Promise<void> => {
      const { isWanted, failed } = notes()
      if (failed !== undefined || !isWanted(test.id)) test.mode = 'skip'
      await original.before(test)
      strykerNamespace().currentTestId = test.id
      startedAt = threadMs()
    },
    onAfterRunTask: (test: RunnerTestCase): void => {
      strykerNamespace().currentTestId = undefined
      notes().times.set(test.id, threadMs() - startedAt)
      if (test.result?.state === 'fail') notes().failed ??= test.name
      original.after(test)
    },
    // A file that cannot even be loaded has no test that fails.
    onAfterRunFiles: (files: RunnerTestFile[]): void => {
      for (const file of files) if (file.result?.state === 'fail') notes().failed ??= file.name
      original.end(files)
    },
  })
}

import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** What is known of a test file once it has ended. */
export interface EndedFile {
  readonly kind: 'ended'
  readonly file: string
  readonly seconds: number
  readonly passed: number
  /** Names of tests that were not run. */
  readonly skipped: readonly string[]
  /** Names of tests that only say that something could not be had. */
  readonly standIns: number
  readonly failed: readonly FailedTest[]
}

interface FailedTest {
  readonly name: string
  readonly message: string
}

export type JournalLine =
  | EndedFile
  | { readonly kind: 'began'; readonly file: string; readonly at: number }
  | { readonly kind: 'unhandled'; readonly message: string }

/** Where the journal is kept; the reporter is made by vitest and gets nothing else from us. */
export const journalVariable = 'REDRIVE_TEST_JOURNAL'

/**
 * Writes down each test file when it begins and when it ends. A report that is written at the end says nothing of a run that has no end, and
 * then what matters most is which file was under way.
 */
export default class Journal implements Reporter {
  /** Before the file is loaded: many start a server while they are. */
  onTestModuleQueued(module: TestModule): void {
    note({ kind: 'began', file: nameOf(module), at: Date.now() })
  }

  onTestModuleEnd(module: TestModule): void {
    note(ended(module))
  }

  onTestRunEnd(_: unknown, errors: readonly SerializedError[]): void {
    for (const error of errors) note({ kind: 'unhandled', message: told(error) })
  }
}

function ended(module: TestModule): EndedFile {
  const tests = [...module.children.allTests()]
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  const failed = inState('failed').map((test) => ({
    name: test.fullName,
    message: (test.result().errors ?? []).map(told).join('\n'),
  }))
  return {
    kind: 'ended',
    file: nameOf(module),
    seconds: module.diagnostic().duration / 1000,
    passed: inState('passed').length,
    standIns: inState('passed').filter(({ fullName }) => fullName.includes('NOT RUN: ')).length,
    skipped: tests.filter((test) => !['passed', 'failed'].includes(test.result().state)).map(({ fullName }) => fullName),
    failed: [...failed, ...failuresOutsideTests(module)],
  }
}

/** Of a file that does not load, and of hooks around its suites. */
function failuresOutsideTests(module: TestModule): FailedTest[] {
  const suites = [...module.children.allSuites()]
  return [
    ...module.errors().map((error) => ({ name: 'the file itself', message: told(error) })),
    ...suites.flatMap((suite) => suite.errors().map((error) => ({ name: suite.fullName, message: told(error) }))),
  ]
}

function nameOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId)
}

function told({ stack, message }: { stack?: string | undefined; message: string }): string {
  return stack?.includes(message) ? stack : `${message}\n${stack ?? ''}`
}

function note(line: JournalLine): void {
  const journal = process.env[journalVariable]
  if (journal) appendFileSync(journal, `${JSON.stringify(line)}\n`)
}

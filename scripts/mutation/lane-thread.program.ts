import { parentPort } from 'node:worker_threads'
import fc from 'fast-check'
import type { WorkerGlobalState } from 'vitest'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'
import { type Answer, type FileSurvey, lineName, notes, type Question, strykerNamespace, type TestRun } from './protocol.ts'

/**
 * The thread in which vitest runs tests. For vitest it is a single run that takes very long; in truth it answers one question after
 * the other. Modules are evaluated anew for every file of every question, because a mutant may sit in a table that is made only once.
 */
type Traces = Parameters<typeof runBaseTests>[2]

const port = parentPort
if (!port) throw new Error('this program is a thread of lane.program.ts')

// The same values for every mutant: whether it lives must not depend on luck.
fc.configureGlobal({ seed: 20_261_116, numRuns: 30 })

init({
  post: (response) => port.postMessage(response),
  on: (callback) => port.on('message', callback),
  off: (callback) => port.off('message', callback),
  setup: setupEnvironment,
  runTests: answerAll,
  collectTests: () => undefined,
})

async function answerAll(state: WorkerGlobalState, traces: Traces): Promise<never> {
  const line = new BroadcastChannel(lineName)
  const files = state.ctx.files.map(({ filepath }) => filepath)
  const quiet = { ...state, rpc: quietly(state.rpc) }
  const run = (test: TestRun): Promise<void> => runFile(quiet, traces, test)
  const answer = (question: Question): Promise<Answer> => {
    if (question.kind === 'try') return attempt(question, run)
    return survey(
      files.filter((_, index) => index % question.of === question.share),
      run,
    )
  }
  line.onmessage = async (event): Promise<void> => {
    const question = (event as { data: Question }).data
    line.postMessage(await answer(question))
  }
  line.postMessage('ready')
  return new Promise(() => {})
}

type Run = (test: TestRun) => Promise<void>

async function survey(files: readonly string[], run: Run): Promise<Answer> {
  const stryker = strykerNamespace()
  const surveys: FileSurvey[] = []
  for (const file of files) {
    const coverage = { static: {}, perTest: {} as Record<string, Record<string, number>> }
    stryker.mutantCoverage = coverage
    notes().times.clear()
    await run({ file })
    const tests = [...notes().times].map(([id, ms]) => ({ id, ms, hits: coverage.perTest[id] ?? {} }))
    const failed = notes().failed
    surveys.push({ file, outsideTests: coverage.static, tests, ...(failed && { failed }) })
  }
  return { kind: 'surveyed', surveys }
}

async function attempt({ mutant, runs, limits }: Extract<Question, { kind: 'try' }>, run: Run): Promise<Answer> {
  const stryker = strykerNamespace()
  Object.assign(stryker, { activeMutant: mutant, hitCount: 0, hitLimit: limits.hits })
  try {
    for (const test of runs) {
      await run(test)
      const { failed } = notes()
      if ((stryker.hitCount ?? 0) > limits.hits) return { kind: 'endless' }
      if (failed !== undefined) return { kind: 'killed', file: test.file, test: failed }
    }
    return { kind: 'survived' }
  } finally {
    Object.assign(stryker, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined })
  }
}

async function runFile(state: WorkerGlobalState, traces: Traces, { file, only, except }: TestRun): Promise<void> {
  const [wanted, done] = [new Set(only), new Set(except)]
  const isWanted = (test: string): boolean => (only ? wanted.has(test) : !done.has(test))
  Object.assign(notes(), { isWanted, failed: undefined })
  const config = { ...state.ctx.config, isolate: true }
  const durations = { environment: 0, prepare: 0, fetch: 0 }
  await runBaseTests('run', { ...state, config, durations, ctx: { ...state.ctx, config, files: [{ filepath: file }] } }, traces)
}

/** Modules have to be asked for; of results nobody but us needs to hear. */
function quietly(rpc: WorkerGlobalState['rpc']): WorkerGlobalState['rpc'] {
  const asked = new Set<PropertyKey>(['fetch', 'resolve', 'transform', 'ensureModuleGraphEntry'])
  return new Proxy(rpc, {
    get: (target, name, receiver) => (asked.has(name) ? Reflect.get(target, name, receiver) : async () => undefined),
  })
}

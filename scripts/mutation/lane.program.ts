import { fileURLToPath } from 'node:url'
import { createVitest, type PoolOptions, type PoolRunnerInitializer, type PoolWorker, ThreadsPoolWorker } from 'vitest/node'
import { type Answer, lineName, type Question } from './protocol.ts'

/** A process that holds vitest warm for the tests of one folder, and passes questions on to its thread. It ends by being killed. */
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const [root, ...include] = process.argv.slice(2)
if (!root || !process.send) throw new Error('this program is started by lane.ts')
const tell = process.send.bind(process)

const warmThread: PoolRunnerInitializer = {
  name: 'warm',
  createPoolWorker: (options: PoolOptions): PoolWorker =>
    Object.assign(new ThreadsPoolWorker(options), { name: 'warm', entrypoint: here('lane-thread.program.ts') }),
}

const line = new BroadcastChannel(lineName)
let watch: NodeJS.Timeout | undefined
line.onmessage = (event): void => {
  clearInterval(watch)
  tell((event as { data: Answer | 'ready' }).data)
}
process.on('message', (question: Question) => {
  line.postMessage(question)
  if (question.kind === 'try') endWhenOver(question.limits.ms)
})
process.on('disconnect', () => process.exit())

/** The thread cannot be asked to leave a loop: the process tells for it, and goes. */
function endWhenOver(limitMs: number): void {
  const start = process.cpuUsage()
  const look = (): void => {
    const { user, system } = process.cpuUsage(start)
    if ((user + system) / 1000 < limitMs) return
    clearInterval(watch)
    tell({ kind: 'endless', isGone: true } satisfies Answer, () => process.exit())
  }
  watch = setInterval(look, 250)
}

const vitest = await createVitest(
  {
    root,
    include,
    // They measure time, which says nothing while others work.
    exclude: ['**/*.growth.test.ts', '**/node_modules/**'],
    pool: warmThread,
    isolate: false,
    maxWorkers: 1,
    watch: false,
    runner: here('runner.ts'),
    reporters: [{}],
    disableConsoleIntercept: true,
    // A test that is only slow has noticed nothing.
    testTimeout: 0,
  },
  { server: { watch: null } },
)
const specifications = await vitest.globTestSpecifications()
if (specifications.length === 0) throw new Error(`no tests in ${root} match ${include.join(', ')}`)
await vitest.runTestSpecifications(specifications)

import { type LoadLibrary, libraryContender, type Work } from './library.ts'
import { type Scenario, usualWarmUp } from './scenario.ts'
import type { Task } from './servicebus/task.ts'

const libraries: Readonly<Record<string, LoadLibrary<Task>>> = {
  'bare-receive': () => import('./servicebus/bare-receive.ts'),
  'bare-subscribe': () => import('./servicebus/bare-subscribe.ts'),
  redrive: () => import('./servicebus/redrive.ts'),
}

let runs = 0

/** Redrive beside the SDK by hand, in the faster of its two forms, on one test server that writes everything to its journal. */
export const servicebusScenarios: readonly Scenario[] = [
  scenario('success-servicebus', 40_000, 'succeed'),
  scenario('dead-letter-servicebus', 20_000, 'dead-letter'),
]

function scenario(name: string, messages: number, work: Work): Scenario {
  const task = (count: number) => newTask(count, work)
  const contenders = () => Object.entries(libraries).map(([library, load]) => libraryContender(library, load, task))
  return { name, messages, ...usualWarmUp, contenders }
}

function newTask(messages: number, work: Work): Task {
  const connectionString = process.env['REDRIVE_BENCH_SERVICEBUS'] ?? ''
  const adminEndpoint = process.env['REDRIVE_BENCH_SERVICEBUS_MANAGEMENT'] ?? ''
  return { connectionString, adminEndpoint, queue: `bench-${process.pid}-${++runs}`, messages, work }
}

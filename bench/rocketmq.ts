import { watchingMemory } from './flat-memory.ts'
import { type LoadLibrary, libraryContender, type Task, type Work } from './library.ts'
import type { Scenario } from './scenario.ts'

const libraries: Readonly<Record<string, LoadLibrary>> = {
  bare: () => import('./rocketmq/bare.ts'),
  redrive: () => import('./rocketmq/redrive.ts'),
}

let runs = 0

/** Redrive beside RocketMQ's own client by hand, on one server and normal topics; and its memory over many messages. */
export const rocketmqScenarios: readonly Scenario[] = [
  scenario('success-rocketmq', 5000, 'succeed', libraryContender),
  scenario('dead-letter-rocketmq', 3000, 'dead-letter', libraryContender),
  scenario('success-memory-rocketmq', 100_000, 'succeed', watchingMemory),
]

function scenario(name: string, messages: number, work: Work, contenderOf: typeof watchingMemory): Scenario {
  const task = (messages: number): Task => ({
    url: process.env['REDRIVE_BENCH_ROCKETMQ'] ?? '',
    prefix: `bench-${process.pid}-${++runs}-`,
    messages,
    work,
  })
  const contenders = () => Object.entries(libraries).map(([each, load]) => contenderOf(each, load, task))
  return { name, messages, warmUp: 1000, contenders }
}

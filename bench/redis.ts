import { type LoadLibrary, libraryContender, type Work } from './library.ts'
import { type Scenario, usualWarmUp } from './scenario.ts'

const libraries: Readonly<Record<string, LoadLibrary>> = {
  bare: () => import('./redis/bare.ts'),
  redrive: () => import('./redis/redrive.ts'),
  bullmq: () => import('./redis/bullmq.ts'),
  '@moleculer/channels': () => import('./redis/moleculer-channels.ts'),
}

let runs = 0

/** Redrive beside the same client library by hand and beside what others use, on one real server that writes everything to its disk at once. */
export const redisScenarios: readonly Scenario[] = [
  scenario('success-redis', 160_000, 'succeed', Object.keys(libraries)),
  scenario('dead-letter-redis', 80_000, 'dead-letter', ['bare', 'redrive', 'bullmq']),
]

function scenario(name: string, messages: number, work: Work, names: readonly string[]): Scenario {
  const task = (messages: number) => ({
    url: process.env['REDRIVE_BENCH_REDIS'] ?? '',
    prefix: `{bench-${process.pid}-${++runs}}:`,
    messages,
    work,
  })
  return {
    name,
    messages,
    ...usualWarmUp,
    contenders: () => names.map((each) => libraryContender(each, libraries[each], task)),
  }
}

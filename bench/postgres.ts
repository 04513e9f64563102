import { type LoadLibrary, libraryContender, type Work } from './library.ts'
import { type Scenario, usualWarmUp } from './scenario.ts'

const libraries: Readonly<Record<string, LoadLibrary>> = {
  bare: () => import('./postgres/bare.ts'),
  redrive: () => import('./postgres/redrive.ts'),
  'pg-boss': () => import('./postgres/pg-boss.ts'),
  'graphile-worker': () => import('./postgres/graphile-worker.ts'),
}

let runs = 0

/** Redrive beside the same client library by hand and beside what others use, on one real server that confirms what is on its disk. */
export const postgresScenarios: readonly Scenario[] = [
  scenario('success-postgres', 160_000, 'succeed'),
  scenario('dead-letter-postgres', 80_000, 'dead-letter'),
]

/** Every run has a schema of its own, whose name is the prefix. */
function scenario(name: string, messages: number, work: Work): Scenario {
  const task = (messages: number) => ({
    url: process.env['REDRIVE_BENCH_POSTGRES'] ?? '',
    prefix: `bench_${process.pid}_${++runs}`,
    messages,
    work,
  })
  const contenders = () => Object.entries(libraries).map(([library, load]) => libraryContender(library, load, task))
  return { name, messages, ...usualWarmUp, contenders }
}

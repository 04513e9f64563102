import { type LoadLibrary, libraryContender, type Work } from './library.ts'
import { type Scenario, usualWarmUp } from './scenario.ts'

const libraries: Readonly<Record<string, LoadLibrary>> = {
  bare: () => import('./sqs/bare.ts'),
  redrive: () => import('./sqs/redrive.ts'),
  'sqs-consumer': () => import('./sqs/sqs-consumer.ts'),
}

let runs = 0

/** Redrive beside the SDK by hand and beside what others use, on one ElasticMQ that writes everything to its disk at once. */
export const sqsScenarios: readonly Scenario[] = [
  scenario('success-sqs', 4000, 'succeed', Object.keys(libraries)),
  scenario('dead-letter-sqs', 3000, 'dead-letter', ['bare', 'redrive']),
]

function scenario(name: string, messages: number, work: Work, names: readonly string[]): Scenario {
  const task = (messages: number) => ({
    url: process.env['REDRIVE_BENCH_SQS'] ?? '',
    prefix: `bench-${process.pid}-${++runs}-`,
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

import { type LoadLibrary, libraryContender, type Work } from './library.ts'
import { type Scenario, usualWarmUp } from './scenario.ts'

const libraries: Readonly<Record<string, LoadLibrary>> = {
  bare: () => import('./sqs/bare.ts'),
  redrive: () => import('./sqs/redrive.ts'),
  'sqs-consumer': async () => (await import('./sqs/sqs-consumer.ts')).one,
  'sqs-consumer, five of them': async () => (await import('./sqs/sqs-consumer.ts')).sideBySide,
}

/** A run has no more than 1,200 requests, which is where the time of a client goes. */
const runsUntilCompiled = 3
let runs = 0

/** Redrive beside the SDK by hand and beside what others use, on one ElasticMQ that writes everything to its disk at once. */
export const sqsScenarios: readonly Scenario[] = [
  scenario('success-sqs', 6000, 'succeed', Object.keys(libraries)),
  scenario('dead-letter-sqs', 4000, 'dead-letter', ['bare', 'redrive']),
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
    warmUps: runsUntilCompiled,
    contenders: () => names.map((each) => libraryContender(each, libraries[each], task)),
  }
}

import { type Consumption, consumeAll } from './consuming.ts'
import type { Contender, PreparedRun } from './measure.ts'
import { deadLetterArguments, deadLetterQueue, fillQueues, type Queues, workArguments, workQueue } from './rabbitmq/queues.ts'
import type { Consume, Task, Work } from './rabbitmq/task.ts'
import { type Scenario, usualWarmUp } from './scenario.ts'

/** Which module speaks for which contender: a process loads no library but the one that it measures. */
const libraries: Readonly<Record<string, () => Promise<Consume>>> = {
  'bare-single': async () => (await import('./rabbitmq/bare.ts')).consumeSingle,
  'bare-multiple': async () => (await import('./rabbitmq/bare.ts')).consumeMultiple,
  redrive: async () => (await import('./rabbitmq/redrive.ts')).consume,
  rascal: async () => (await import('./rabbitmq/rascal.ts')).consume,
  '@moleculer/channels': async () => (await import('./rabbitmq/moleculer-channels.ts')).consume,
  'amqp-connection-manager': async () => (await import('./rabbitmq/connection-manager.ts')).consume,
}

const everybody = Object.keys(libraries)
/** With copies to be confirmed, ranges of acknowledgements are always the faster way. */
const withCopies = everybody.filter((name) => name !== 'bare-single')
/** Of the peers only one can be told to retry in place, by hand; rascal does what it can instead. */
const inPlace = withCopies.filter((name) => name !== '@moleculer/channels')

/** Redrive beside amqplib by hand and beside what others use on amqplib, on one real broker. */
export const rabbitmqScenarios: readonly Scenario[] = [
  scenario('success-prefetch-1-rabbitmq', { messages: 10_000, work: 'succeed', prefetch: 1, names: everybody }),
  scenario('success-prefetch-20-rabbitmq', { messages: 80_000, work: 'succeed', prefetch: 20, names: everybody }),
  scenario('success-prefetch-200-rabbitmq', { messages: 120_000, work: 'succeed', prefetch: 200, names: everybody }),
  scenario('fail-once-in-place-rabbitmq', { messages: 16_000, work: 'retry-in-place', prefetch: 200, names: inPlace }),
  scenario('fail-once-delayed-rabbitmq', { messages: 16_000, work: 'retry', prefetch: 200, names: withCopies }),
  scenario('dead-letter-rabbitmq', { messages: 24_000, work: 'dead-letter', prefetch: 200, names: withCopies }),
]

interface Setting {
  readonly messages: number
  readonly work: Work
  readonly prefetch: number
  readonly names: readonly string[]
}

function scenario(name: string, { messages, work, prefetch, names }: Setting): Scenario {
  return { name, messages, ...usualWarmUp, contenders: () => names.map((library) => contender(library, work, prefetch)) }
}

function contender(name: string, work: Work, prefetch: number): Contender {
  return {
    name,
    async prepare(messages) {
      const consume = await libraries[name]?.()
      if (!consume) throw new Error(`There is no contender ${name}.`)
      const queues = await fillQueues('quorum', messages)
      return runOf(consume, taskOf(queues, messages, work, prefetch), queues)
    },
  }
}

function taskOf({ url }: Queues, messages: number, work: Work, prefetch: number): Task {
  return {
    url,
    queue: workQueue,
    deadLetters: deadLetterQueue,
    queueArguments: workArguments.quorum,
    deadLetterArguments: deadLetterArguments.quorum,
    queueType: 'quorum',
    prefetch,
    messages,
    work,
  }
}

/** From the first message in a handler to the last settlement that reached the broker; then it is counted what was lost. */
function runOf(consume: Consume, task: Task, queues: Queues): PreparedRun {
  let consumption: Consumption | undefined
  let lost = 0
  return {
    async run(begin) {
      consumption = await consumeAll(consume, task, begin)
    },
    async cleanUp() {
      await consumption?.close()
      lost = task.work === 'dead-letter' ? task.messages - (await queues.count(deadLetterQueue)) : 0
      const left = await queues.count(workQueue)
      if (left > 0) throw new Error(`${left} messages were left in the queue.`)
      await queues.remove()
    },
    figures: () => ({ lost }),
  }
}

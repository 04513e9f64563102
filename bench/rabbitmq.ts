import type { Contender, PreparedRun } from './measure.ts'
import { deadLetterArguments, deadLetterQueue, fillQueues, type Queues, workArguments, workQueue } from './rabbitmq/queues.ts'
import type { Consume, Consumption, Task, Work } from './rabbitmq/task.ts'
import type { Scenario } from './scenario.ts'

/** Which module speaks for which contender: a process loads no library but the one that it measures. */
const libraries: Readonly<Record<string, () => Promise<Consume>>> = {
  'bare-single': async () => (await import('./rabbitmq/bare.ts')).consumeSingle,
  'bare-multiple': async () => (await import('./rabbitmq/bare.ts')).consumeMultiple,
  redrive: async () => (await import('./rabbitmq/redrive.ts')).consume,
  rascal: async () => (await import('./rabbitmq/rascal.ts')).consume,
  '@moleculer/channels': async () => (await import('./rabbitmq/moleculer-channels.ts')).consume,
  'amqp-connection-manager': async () => (await import('./rabbitmq/connection-manager.ts')).consume,
}

/** Redrive beside amqplib by hand and beside what others use on amqplib, on one real broker. */
export const rabbitmqScenarios: readonly Scenario[] = [
  scenario('success-prefetch-1-rabbitmq', 2000, 'succeed', 1),
  scenario('success-prefetch-20-rabbitmq', 10_000, 'succeed', 20),
  scenario('success-prefetch-200-rabbitmq', 20_000, 'succeed', 200),
  scenario('fail-once-in-place-rabbitmq', 2000, 'retry-in-place', 200),
  scenario('fail-once-delayed-rabbitmq', 2000, 'retry', 200),
  scenario('dead-letter-rabbitmq', 5000, 'dead-letter', 200),
]

function scenario(name: string, messages: number, work: Work, prefetch: number): Scenario {
  return {
    name,
    messages,
    warmUp: messages,
    contenders: () => Object.keys(libraries).map((library) => contender(library, work, prefetch)),
  }
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
      const all = Promise.withResolvers<void>()
      let began = begin
      let left = task.messages
      consumption = await consume(task, {
        began() {
          began()
          began = () => {}
        },
        handled() {
          if (--left === 0) all.resolve()
        },
      })
      await all.promise
      await consumption.settled()
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

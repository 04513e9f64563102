import rascal from 'rascal'
import type { Consume, Work } from './task.ts'

/** Its own recoveries: `republish` and `forward` publish a confirmed copy and then acknowledge. It retries in no other way. */
const recoveries: Readonly<Record<Work, object[]>> = {
  succeed: [],
  'retry-in-place': [{ strategy: 'republish', attempts: 1 }, { strategy: 'nack' }],
  retry: [{ strategy: 'republish', attempts: 1 }, { strategy: 'nack' }],
  'dead-letter': [{ strategy: 'forward', publication: 'dead' }],
}

export const consume: Consume = async (task, progress) => {
  const { pathname } = new URL(task.url)
  const config = {
    vhosts: {
      [pathname.slice(1)]: {
        connection: { url: task.url, socketOptions: { noDelay: true } },
        queues: {
          [task.queue]: { assert: false, check: true },
          [task.deadLetters]: { assert: false, check: true },
        },
        publications: { dead: { queue: task.deadLetters, confirm: true, options: { persistent: true, mandatory: true } } },
        subscriptions: { orders: { queue: task.queue, prefetch: task.prefetch, contentType: 'application/json' } },
      },
    },
  }
  const broker = await rascal.BrokerAsPromised.create(rascal.withDefaultConfig(config))
  broker.on('error', (error) => {
    throw error
  })
  const recovery = recoveries[task.work]
  const subscription = await broker.subscribe('orders')
  subscription.on('error', (error) => {
    throw error
  })
  subscription.on('message', async (message, _order, ackOrNack) => {
    progress.began()
    const republished = message.properties.headers.rascal?.recovery?.[task.queue]?.republished ?? 0
    try {
      await handle(republished + 1)
      ackOrNack(undefined, undefined, progress.handled)
    } catch (error) {
      ackOrNack(error as Error, recovery, task.work === 'dead-letter' ? progress.handled : () => {})
    }
  })

  async function handle(attempt: number): Promise<void> {
    if (task.work === 'dead-letter' || (task.work !== 'succeed' && attempt === 1)) throw new Error('the first attempt fails')
  }

  return { settled: () => subscription.cancel(), close: () => broker.shutdown() }
}

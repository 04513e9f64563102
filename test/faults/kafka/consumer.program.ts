import { hasCode } from '../../../src/core/errors.ts'
import { createConsumer, defineMessage, PermanentError, RetryableError } from '../../../src/redrive.ts'
import { kafka } from '../../../src/transports/kafka/kafka.ts'
import { crash } from '../crash.ts'
import { appendRecord, type HandlerRecord } from '../handler-log.ts'
import { withDeaths } from '../harness/copy-barriers.ts'
import { couldNotStart } from '../harness/could-not-start.ts'
import { ordinaryTurns } from '../ledger.ts'
import type { Kind } from '../messages.ts'
import { type ConsumerOrder, topicsOf } from './order.ts'
import { plantedBugs } from './planted-bugs.ts'

/** A real consumer in a process of its own. It tells its parent about its connection, and nothing else of what it does. */
const order = JSON.parse(process.argv[2] ?? '{}') as ConsumerOrder
const { url, name, prefetch, sessionTimeout } = order
const topics = topicsOf(name)
const plant = plantedBugs[order.plant ?? ''] ?? ((healthy) => healthy)
/** Through a proxy that may swallow everything, silence is an answer sooner. */
const way =
  order.port === undefined ? {} : { answerWithin: '3s', resolveBroker: () => ({ host: '127.0.0.1', port: order.port ?? 0 }) }
const bare = kafka({ bootstrapServers: url, groupId: name, sessionTimeout, heartbeat: '200ms', ...way })
const transport = plant(withDeaths(bare, order.barrier, order.passes ?? 0, { work: topics.work, alsoAnswered: true }))
const Fault = defineMessage<{ number: number; kind: Kind }>('fault')

const consumer = createConsumer({ transport, service: 'faults', logger: false })
for (const word of ['connection-lost', 'connection-restored', 'dead-letter-failed'] as const)
  consumer.on(word, () => process.send?.(word))
consumer
  .channel(topics.work, {
    deadLetter: topics.deadLetter,
    invalid: topics.invalid,
    concurrency: prefetch,
    prefetch,
    maxHeld: 100_000,
    order: order.order,
    retry: { delayed: { retries: ordinaryTurns - 1, backoff: { first: '125ms', max: '250ms' } } },
  })
  .on(Fault, async ({ number, kind }, context) => {
    const tell = (what: HandlerRecord['what']) => appendRecord(order.log, { what, number, life: order.life })
    tell('started')
    if (kind === 'crash') crash(order.crash)
    if (kind === 'bad' || (kind === 'flaky' && context.attempt === 1)) {
      tell('failed')
      throw kind === 'bad' ? new PermanentError('this one never works') : new RetryableError('not this time')
    }
    tell('succeeded')
  })

// Whoever started us is gone, however that came about.
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => void stop())
// A broker that is away when a consumer starts is for whoever starts it again.
await consumer.start().catch((error) => {
  if (hasCode(error, 'unreachable') || hasCode(error, 'unsure')) process.exit(couldNotStart)
  throw error
})
process.send?.('ready')

async function stop(): Promise<void> {
  await consumer.stop()
  await transport.close()
  process.exit(0)
}

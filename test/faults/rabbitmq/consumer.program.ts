import { hasCode } from '../../../src/core/errors.ts'
import { createConsumer, defineMessage, PermanentError, RetryableError } from '../../../src/redrive.ts'
import { rabbitmq } from '../../../src/transports/rabbitmq/rabbitmq.ts'
import { crash } from '../crash.ts'
import { appendRecord, type HandlerRecord } from '../handler-log.ts'
import { withDeaths } from '../harness/copy-barriers.ts'
import { couldNotStart } from '../harness/could-not-start.ts'
import { faultChannels, type Kind } from '../messages.ts'
import { monstrousError } from './monstrous-error.ts'
import type { ConsumerOrder } from './order.ts'
import { plantedBugs } from './planted-bugs.ts'

/** A real consumer in a process of its own. It tells its parent about its connection, and nothing else of what it does. */
const order = JSON.parse(process.argv[2] ?? '{}') as ConsumerOrder
const { url, queueType, deadLettering, prefetch, maxHeld, heartbeat } = order
const plant = plantedBugs[order.plant ?? ''] ?? ((healthy) => healthy)
const bare = rabbitmq({ url, queueType, heartbeat: `${heartbeat}s`, answerWithin: `${2 * heartbeat}s`, connectWithin: '30s' })
const transport = plant(withDeaths(bare, order.barrier, order.passes ?? 0))
const Fault = defineMessage<{ number: number; kind: Kind }>('fault')

const consumer = createConsumer({ transport, service: 'faults', logger: false })
for (const word of ['connection-lost', 'connection-restored', 'dead-letter-failed'] as const)
  consumer.on(word, () => process.send?.(word))
consumer
  .channel(faultChannels.work, {
    deadLetter: faultChannels.deadLetter,
    invalid: faultChannels.invalid,
    concurrency: prefetch,
    prefetch,
    maxHeld,
    deadLettering,
    ...(order.spool !== undefined && { onDeadLetterFailure: { spool: order.spool } }),
    stackTraces: true,
    retry: { delayed: { retries: order.turns - 1, backoff: { first: '125ms', max: '250ms' } } },
  })
  .on(Fault, async ({ number, kind }, context) => {
    const tell = (what: HandlerRecord['what']) => appendRecord(order.log, { what, number, life: order.life })
    tell('started')
    if (kind === 'crash') crash(order.crash)
    if (kind === 'bad' || (kind === 'flaky' && context.attempt === 1)) {
      tell('failed')
      throw kind === 'bad' ? badError(number) : new RetryableError('not this time')
    }
    tell('succeeded')
  })

// Whoever started us is gone, however that came about.
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => void consumer.stop().then(() => process.exit(0)))
// A broker that is away when a consumer starts is for whoever starts it again.
await consumer.start().catch((error) => {
  if (hasCode(error, 'unreachable') || hasCode(error, 'unsure')) process.exit(couldNotStart)
  throw error
})
process.send?.('ready')

function badError(number: number): unknown {
  return order.errors === 'plain' ? new PermanentError('this one never works') : monstrousError(number)
}

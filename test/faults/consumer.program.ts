import { systemClock } from '../../src/platform/clock.ts'
import { createConsumer, defineMessage, PermanentError, RetryableError } from '../../src/redrive.ts'
import { createBarrier, withBarriers } from './barriers.ts'
import type { ConsumerOrder } from './consumer-process.ts'
import { isFirstRun } from './first-run.ts'
import { appendRecord, type HandlerRecord } from './handler-log.ts'
import { faultChannels, type Kind } from './messages.ts'
import { consumerBugs } from './planted-bugs.ts'
import { refusable } from './refusable.ts'
import { openForConsumer } from './subjects.ts'

/** A real consumer in a process of its own, which the fault runs kill. Its order comes as JSON in the first argument. */
const order = JSON.parse(process.argv[2] ?? '{}') as ConsumerOrder & { readonly life: number }
setClockAhead(order.clockAhead ?? 0)
const reach = createBarrier(order.barrier, order.passes ?? 0)
const plant = consumerBugs[order.plant ?? ''] ?? ((healthy) => healthy)
const { transport: real, refuse } = refusable(await openForConsumer(order.subject, order.connection))
const transport = plant(withBarriers(real, reach), systemClock)
const Fault = defineMessage<{ number: number; kind: Kind }>('fault', undefined, { key: ({ number }) => String(number) })

const consumer = createConsumer({ transport, service: 'faults', logger: false })
consumer
  .channel(faultChannels.work, {
    deadLetter: order.deadLetter ?? faultChannels.deadLetter,
    invalid: faultChannels.invalid,
    concurrency: order.prefetch,
    prefetch: order.prefetch,
    hold: order.hold,
    // Messages have a key for those who keep them in order; the others have to be told that nobody asks for it.
    ...((order.inAnyOrder || transport.capabilities.ordering === 'none') && { order: 'none' as const }),
    ...(order.maxHeld !== undefined && { maxHeld: order.maxHeld }),
    ...(order.spool !== undefined && { onDeadLetterFailure: { spool: order.spool } }),
    retry: { delayed: { retries: order.turns - 1, backoff: { first: '20ms', max: '50ms' } } },
  })
  .on(Fault, async ({ number, kind }) => {
    await reach('before-handler')
    const tell = (what: HandlerRecord['what']) => appendRecord(order.log, { what, number, life: order.life })
    tell('started')
    if (kind === 'crash') process.kill(process.pid, 'SIGKILL')
    if (kind === 'bad' || (kind === 'flaky' && isFirstRun(order.log, number))) {
      tell('failed')
      throw kind === 'bad' ? new PermanentError('this one never works') : new RetryableError('not this time')
    }
    tell('succeeded')
    await reach('after-handler')
  })

for (const word of ['connection-lost', 'connection-restored', 'dead-letter-failed'] as const)
  consumer.on(word, () => process.send?.(word))
process.on('message', (word) => refuse(word === 'refuse'))
// Whoever started it is gone: nobody else would end it.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void consumer.stop().then(() => process.exit(0)))
await consumer.start()
process.send?.('ready')

/** As on a machine whose clock was set wrong: what is read off it is wrong, and timers take as long as ever. */
function setClockAhead(ms: number): void {
  const rightNow = Date.now
  Date.now = () => rightNow() + ms
}

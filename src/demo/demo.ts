import type { Clock, Random } from '../core/ports.ts'
import { type Consumer, createConsumer } from '../runtime/consumer.ts'
import { createProducer } from '../runtime/producer.ts'
import type { ControlPlaneOptions } from '../runtime/reporting/control-plane-options.ts'
import type { Transport } from '../transports/seam.ts'
import { type Acquirer, channels, drawPayment, SettlementRequested, settle } from './payments.ts'

export interface Demo {
  stop(): Promise<void>
}

export interface DemoOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  /** Milliseconds after which the acquirer works again, so that a replay succeeds. */
  readonly repairAfter: number
  /** Who hears how the payment service is doing. Default: nobody. */
  readonly controlPlane?: ControlPlaneOptions
}

const everyMs = 250
/** So that there is something to see at once. */
const atOnce = 60

/**
 * A payment service on the embedded queue with real failures of four causes. One of them is repaired after a while: whoever replays its letters then
 * sees them succeed.
 */
export async function startDemo({ transport, clock, random, repairAfter, controlPlane }: DemoOptions): Promise<Demo> {
  const acquirer: Acquirer = { isDown: true }
  const consumer = paymentConsumer(transport, acquirer, controlPlane)
  await consumer.start()
  const producer = createProducer({ transport })
  let number = 0
  const cancelRepair = clock.after(repairAfter, () => {
    acquirer.isDown = false
  })
  const sendOne = (): Promise<unknown> => {
    const payment = drawPayment(++number, random)
    return producer.send(SettlementRequested, payment, { correlationId: `payment-${payment.number}` })
  }
  for (let sent = 0; sent < atOnce; sent++) await sendOne()

  function goOn(): void {
    void sendOne().catch(() => {})
    next = clock.after(everyMs, goOn)
  }
  let next = clock.after(everyMs, goOn)

  return {
    async stop() {
      cancelRepair()
      next()
      await consumer.stop()
    },
  }
}

function paymentConsumer(transport: Transport, acquirer: Acquirer, controlPlane: ControlPlaneOptions | undefined): Consumer {
  const reporting = controlPlane && { controlPlane }
  const consumer = createConsumer({ transport, service: 'settlements', version: '1.4.0', logger: false, ...reporting })
  consumer
    .channel(channels.settlements, { deadLetter: channels.deadSettlements, retry: { immediate: 1, delayed: { retries: 0 } } })
    .on(SettlementRequested, async (payment) => settle(payment, acquirer))
  return consumer
}

import type { AmqpAnnotatedMessage } from '@azure/core-amqp'
import type { ServiceBusMessageBatch, ServiceBusSender } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import type { Address } from '../seam.ts'
import { type Bus, pathOf } from './bus.ts'
import type { Settings } from './options.ts'
import { sdkError, within } from './sdk-errors.ts'

/** Sends; messages for one entity that are sent close together share a transfer. */
export interface Outbox {
  send(address: Address, message: AmqpAnnotatedMessage): Promise<void>
}

interface Parcel {
  readonly message: AmqpAnnotatedMessage
  resolve(): void
  reject(error: RedriveError): void
}

interface Line {
  readonly address: Address
  readonly sender: ServiceBusSender
  waiting: Parcel[]
  busy: boolean
}

/** No more in one transfer: what fails, fails together. */
const mostTogether = 100

export function createOutbox(bus: Bus, settings: Settings): Outbox {
  const { clock, answerWithin } = settings
  const lines = new Map<string, Line>()

  /** One transfer after the other, so that what one caller sends stays in order. */
  async function drain(line: Line): Promise<void> {
    if (line.busy) return
    line.busy = true
    await new Promise<void>((resolve) => clock.soon(resolve))
    while (line.waiting.length > 0) await transfer(line)
    line.busy = false
  }

  async function transfer(line: Line): Promise<void> {
    const about = pathOf(line.address)
    let batch: ServiceBusMessageBatch
    try {
      // Opens the link, where that is not open: whatever fails up to here, nothing was written.
      batch = await within(clock, answerWithin, 'unreachable', line.sender.createMessageBatch())
    } catch (cause) {
      for (const { reject } of line.waiting.splice(0)) reject(refusal(cause, about, 'unreachable'))
      return
    }
    const parcels = pack(line, batch)
    if (parcels.length === 0) return
    try {
      const [only] = parcels
      const what = parcels.length === 1 && only ? only.message : batch
      await within(clock, answerWithin, 'unsure', line.sender.sendMessages(what))
      for (const { resolve } of parcels) resolve()
    } catch (cause) {
      for (const { reject } of parcels) reject(refusal(cause, about, 'unsure'))
    }
  }

  return {
    send(address, message) {
      const path = pathOf(address)
      const line = lines.get(path) ?? { address, sender: bus.sender(address), waiting: [], busy: false }
      lines.set(path, line)
      const sent = new Promise<void>((resolve, reject) => line.waiting.push({ message, resolve, reject }))
      void drain(line)
      return sent
    },
  }
}

/** As many as fit; one that fits into no batch is refused alone. */
function pack({ waiting, address }: Line, batch: ServiceBusMessageBatch): Parcel[] {
  const parcels: Parcel[] = []
  while (parcels.length < mostTogether) {
    const [next] = waiting
    if (!next || !batch.tryAddMessage(next.message)) break
    parcels.push(next)
    waiting.shift()
  }
  if (parcels.length === 0)
    waiting.shift()?.reject(new RedriveError('too-large', `${pathOf(address)}: the message is larger than the entity takes.`))
  return parcels
}

/** Who lacks the right to send was refused like anybody else: certainly nothing was written. */
function refusal(cause: unknown, about: string, otherwise: 'unreachable' | 'unsure'): RedriveError {
  const error = sdkError(cause, about, otherwise)
  return error.code === 'access-denied' ? new RedriveError('refused', error.message, { cause }) : error
}

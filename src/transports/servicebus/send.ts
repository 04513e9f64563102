import type { AmqpAnnotatedMessage } from '@azure/core-amqp'
import type { ServiceBusMessageBatch, ServiceBusSender } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import type { Address } from '../seam.ts'
import { type Bus, pathOf } from './bus.ts'
import type { Settings } from './options.ts'
import { fitsAlone, haveSeveralKeys, type Parcel, pack, packOneKey } from './pack.ts'
import { refusedAs, sdkError, within } from './sdk-errors.ts'

/** Sends; messages for one entity that are sent close together share a transfer. */
export interface Outbox {
  send(address: Address, message: AmqpAnnotatedMessage): Promise<void>
}

interface Line {
  readonly address: Address
  readonly sender: ServiceBusSender
  waiting: Parcel[]
  busy: boolean
  /** It is not known to refuse batches of several keys, as a partitioned entity does. */
  mixesKeys: boolean
}

/** What one transfer carries. */
interface Load {
  readonly parcels: readonly Parcel[]
  readonly content: AmqpAnnotatedMessage | ServiceBusMessageBatch
}

/** The premium tier takes messages of up to 100 MB, and says so of its links, but no batch above this. */
const largestBatch = 1024 * 1024

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
    let load: Load | undefined
    try {
      load = await nextLoad(line)
    } catch (cause) {
      for (const { reject } of line.waiting.splice(0)) reject(refusal(cause, about, 'unreachable'))
    }
    if (!load) return
    try {
      await within(clock, answerWithin, 'unsure', line.sender.sendMessages(load.content))
      for (const { resolve } of load.parcels) resolve()
    } catch (cause) {
      if (isForItsKeys(line, load, cause)) line.waiting.unshift(...load.parcels)
      else for (const { reject } of load.parcels) reject(refusal(cause, about, 'unsure'))
    }
  }

  /**
   * Whether an entity is partitioned is seen with the right to manage alone. So a batch of several keys that was refused is sent once more, one
   * key at a time, and so is what comes after it; unless one of a single key is refused as well, since then it was not for that.
   */
  function isForItsKeys(line: Line, { parcels }: Load, cause: unknown): boolean {
    if (refusedAs(cause) === undefined) return false
    const isMixed = haveSeveralKeys(parcels)
    line.mixesKeys = !isMixed
    return isMixed
  }

  /** Opens the link, where that is not open: whatever fails here, nothing was written. */
  async function nextLoad(line: Line): Promise<Load | undefined> {
    const batch = await within(clock, answerWithin, 'unreachable', emptyBatch(line.sender))
    const packNext = line.mixesKeys ? pack : packOneKey
    const { parcels, unfit, rest } = packNext(line.waiting, batch)
    line.waiting = rest
    if (unfit) return alone(line, unfit)
    const [first] = parcels
    return first && { parcels, content: parcels.length === 1 ? first.message : batch }
  }

  /** One that fits into no batch. */
  async function alone(line: Line, parcel: Parcel): Promise<Load | undefined> {
    const { sender, address } = line
    const batch = await within(clock, answerWithin, 'unreachable', sender.createMessageBatch())
    const fits = fitsAlone(parcel, batch)
    line.waiting = line.waiting.filter((each) => each !== parcel)
    if (fits) return { parcels: [parcel], content: parcel.message }
    parcel.reject(new RedriveError('too-large', `${pathOf(address)}: the message is larger than the entity takes.`))
    return undefined
  }

  return {
    send(address, message) {
      const path = pathOf(address)
      const line = lines.get(path) ?? { address, sender: bus.sender(address), waiting: [], busy: false, mixesKeys: true }
      lines.set(path, line)
      const sent = new Promise<void>((resolve, reject) => line.waiting.push({ message, resolve, reject }))
      void drain(line)
      return sent
    },
  }
}

async function emptyBatch(sender: ServiceBusSender): Promise<ServiceBusMessageBatch> {
  const batch = await sender.createMessageBatch()
  return batch.maxSizeInBytes > largestBatch ? sender.createMessageBatch({ maxSizeInBytes: largestBatch }) : batch
}

/** Who lacks the right to send was refused like anybody else: certainly nothing was written. What the service said may quote the message. */
function refusal(cause: unknown, about: string, otherwise: 'unreachable' | 'unsure'): RedriveError {
  const refused = refusedAs(cause)
  if (refused !== undefined)
    return new RedriveError('refused', `${about}: the service refused what was sent, and wrote nothing (${refused}).`, { cause })
  const error = sdkError(cause, about, otherwise)
  return error.code === 'access-denied' ? new RedriveError('refused', error.message, { cause }) : error
}

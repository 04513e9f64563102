import type { AmqpAnnotatedMessage } from '@azure/core-amqp'
import type { ServiceBusMessageBatch } from '@azure/service-bus'
import type { RedriveError } from '../../core/errors.ts'
import { badMessage } from './bad-message.ts'
import { partitionKey } from './message.ts'

/** A message on its way to an entity. */
export interface Parcel {
  readonly message: AmqpAnnotatedMessage
  resolve(): void
  reject(error: RedriveError): void
}

/** What one transfer takes of those that wait. */
export interface Packed {
  readonly parcels: readonly Parcel[]
  /** One of the rest that has no room in an empty batch. */
  readonly unfit: Parcel | undefined
  readonly rest: Parcel[]
}

/** No more in one transfer: what fails, fails together. */
const mostTogether = 100

/** As many as fit, in their order. One that cannot be encoded is refused alone, and the others go without it. */
export function pack(waiting: readonly Parcel[], batch: ServiceBusMessageBatch): Packed {
  const parcels: Parcel[] = []
  let taken = 0
  for (const parcel of waiting) {
    const isFull = parcels.length === mostTogether || !add(parcel, batch, parcels)
    if (isFull) break
    taken++
  }
  const rest = waiting.slice(taken)
  return { parcels, unfit: parcels.length === 0 ? rest[0] : undefined, rest }
}

/** The same of those of the first one's key. The others wait, in their order: a key of which many are sent takes no turn from them. */
export function packOneKey(waiting: readonly Parcel[], batch: ServiceBusMessageBatch): Packed {
  const [first] = waiting
  const key = first && keyOf(first)
  const packed = pack(
    waiting.filter((parcel) => keyOf(parcel) === key),
    batch,
  )
  const left = new Set(packed.rest)
  return { ...packed, rest: waiting.filter((parcel) => keyOf(parcel) !== key || left.has(parcel)) }
}

export function haveSeveralKeys(parcels: readonly Parcel[]): boolean {
  const [first] = parcels
  return first !== undefined && parcels.some((parcel) => keyOf(parcel) !== keyOf(first))
}

/** By which a partitioned entity chooses where a message is kept; those without one are kept together, wherever that is. */
function keyOf({ message }: Parcel): unknown {
  return message.properties?.groupId ?? message.messageAnnotations?.[partitionKey]
}

/** Tells whether it is done with. To find out about its size the SDK encodes it, and throws where AMQP does not hold one of its values. */
function add(parcel: Parcel, batch: ServiceBusMessageBatch, parcels: Parcel[]): boolean {
  try {
    if (!batch.tryAddMessage(parcel.message)) return false
    parcels.push(parcel)
  } catch {
    parcel.reject(badMessage('AMQP cannot hold one of its properties'))
  }
  return true
}

/**
 * Whether its link takes what no batch does: a batch lends the headers of its first message to all of them, and so has them twice. So it is
 * measured behind an empty message. To send it and see would not do: the service may close the link on what is too large, without an answer.
 */
export function fitsAlone({ message }: Parcel, empty: ServiceBusMessageBatch): boolean {
  return empty.tryAddMessage({ body: '' }) && empty.tryAddMessage(message)
}

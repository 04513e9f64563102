import { expiry, nativeLetter } from '../../core/dialects/native-letter.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Failure } from '../../core/failure.ts'
import { headersSize } from '../../core/headers.ts'
import type { Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import { nameOf } from '../leases/name-of.ts'
import type { Address } from '../seam.ts'
import type { MemoryLimits } from './capabilities.ts'
import { type Channel, type ChannelSettings, channel } from './channel.ts'
import { dedupWindow } from './dedup-window.ts'
import type { Entry } from './entry.ts'

/** What outlives a connection: the channels. Several transports may share one, as several processes share a server. */
export interface MemoryBroker {
  readonly clock: Clock
  readonly limits: MemoryLimits
  find(address: Address): Channel | undefined
  /** The channel, or `unknown-channel`. */
  open(address: Address): Channel
  create(settings: ChannelSettings): void
  /** Whether the broker takes this message at all; throws `bad-message` or `too-large`. */
  inspect(message: Message): void
  /** Puts a message where its channel sends what it gives up on; the failure travels along. */
  bury(entry: Entry, from: Channel, failure: Failure): void
}

export function memoryBroker(clock: Clock, limits: MemoryLimits): MemoryBroker {
  const channels = new Map<string, Channel>()
  const find = (address: Address): Channel | undefined => channels.get(nameOf(address))

  function open(address: Address): Channel {
    const found = find(address)
    if (found === undefined)
      throw new RedriveError('unknown-channel', `There is no channel ${nameOf(address)}: provision it first.`)
    return found
  }

  function bury({ message, position }: Entry, from: Channel, failure: Failure): void {
    const { address, deadLetterTo } = from.settings
    if (deadLetterTo === undefined) {
      throw new RedriveError(
        'bad-topology',
        `${nameOf(address)} has no dead-letter channel: a rejected message has nowhere to go.`,
      )
    }
    open(deadLetterTo).put(nativeLetter(message, failure, { channel: nameOf(address), position }), 0)
  }

  /** A message that expires where no dead-letter channel is set is gone, as on every broker; `provision` calls that fatal. */
  function expire(entry: Entry, from: Channel): boolean {
    const { address, deadLetterTo, ttl } = from.settings
    if (deadLetterTo === undefined) return true
    if (find(deadLetterTo) === undefined) return false
    bury(entry, from, expiry(nameOf(address), ttl, clock.now(), entry))
    return true
  }

  return {
    clock,
    limits,
    find,
    open,
    create(settings) {
      channels.set(nameOf(settings.address), channel(settings, clock, dedupWindow(clock, limits.deduplication), expire))
    },
    inspect({ body, headers }) {
      if (body !== null && !(body instanceof Uint8Array)) throw new RedriveError('bad-message', 'A body is bytes or null.')
      if (body !== null && body.byteLength > limits.maxBody) {
        throw new RedriveError('too-large', `A body of ${body.byteLength} bytes is above the limit of ${limits.maxBody}.`)
      }
      const size = headers.length === 0 ? 0 : headersSize(headers)
      if (size > limits.maxHeaders) {
        throw new RedriveError('too-large', `Headers of ${size} bytes are above the limit of ${limits.maxHeaders}.`)
      }
    },
    bury,
  }
}

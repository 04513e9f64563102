import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Address, Delivery, Hold, ReceiveOptions, Receiver } from '../seam.ts'
import type { Channel } from './channel.ts'
import { deque } from './deque.ts'
import type { Claimant, MemoryDelivery } from './entry.ts'

/** A receiver together with what its connection does to it. */
export interface OpenReceiver extends Receiver {
  readonly channel: Channel
  /** Gives back what is held, uncounted. */
  releaseAll(): void
  /** The connection broke: what is held comes back to the channel as suspect. */
  lose(reason: RedriveError): void
}

export interface ReceiverSetting {
  readonly channel: Channel
  readonly address: Address
  readonly options: ReceiveOptions
  readonly hold: Hold
  readonly clock: Clock
}

const nothing: readonly Delivery[] = Object.freeze([])
const resolvedWithNothing: Promise<readonly Delivery[]> = Promise.resolve(nothing)

export function openReceiver({ channel, address, options, hold, clock }: ReceiverSetting): OpenReceiver {
  const lost = new AbortController()
  const claimant: Claimant = { address, holdFor: options.hold, hold, lanes: deque(), awake: undefined }
  let ended = false
  let giveUp: (() => void) | undefined

  function take(max: number, wait: number): Promise<readonly Delivery[]> {
    if (ended) return resolvedWithNothing
    if (giveUp !== undefined) return Promise.reject(new RedriveError('not-running', 'A take is under way: one call at a time.'))
    const batch = channel.handOut(claimant, max)
    return batch.length > 0 || wait <= 0 ? Promise.resolve(batch) : takeLater(max, wait)
  }

  function takeLater(max: number, wait: number): Promise<readonly Delivery[]> {
    const { promise, resolve } = Promise.withResolvers<readonly Delivery[]>()
    const finish = (batch: readonly MemoryDelivery[]): void => {
      cancel?.()
      claimant.awake = undefined
      channel.wait(claimant)
      giveUp = undefined
      resolve(batch)
    }
    const cancel = wait === Number.POSITIVE_INFINITY ? undefined : clock.after(wait, () => finish([]))
    giveUp = () => finish([])
    claimant.awake = () => {
      const batch = channel.handOut(claimant, max)
      if (batch.length > 0) finish(batch)
    }
    channel.wait(claimant)
    return promise
  }

  function end(): void {
    ended = true
    giveUp?.()
  }

  return {
    channel,
    take,
    lost: lost.signal,
    close: async () => end(),
    releaseAll() {
      end()
      for (const ticket of channel.held(claimant)) channel.release(ticket)
    },
    lose(reason) {
      end()
      for (const ticket of channel.held(claimant)) channel.lose(ticket)
      lost.abort(reason)
    },
  }
}

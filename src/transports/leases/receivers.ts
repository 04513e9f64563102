import type { Clock } from '../../core/ports.ts'
import type { Claim, Claimed, LeaseStore } from './protocol.ts'
import type { LeaseReceiver } from './receiver.ts'

/** The receivers of one transport, each with what the store knows its channel by. */
export interface Receivers<Channel> extends Pick<LeaseStore, 'wake' | 'claimNow'> {
  add(receiver: LeaseReceiver, channel: Channel): void
  remove(receiver: LeaseReceiver): void
  /** Something may be claimable in such channels, or in any. */
  stir(isMeant?: (channel: Channel) => boolean): void
  closeAll(): Promise<void>
}

/** Claims that are asked for close together are made together, each by a call of its own. */
export function createReceivers<Channel>(
  clock: Clock,
  claim: (channel: Channel, request: Claim) => Promise<Claimed>,
): Receivers<Channel> {
  const receivers = new Map<LeaseReceiver, Channel>()
  let waking = false

  function claimNow(): void {
    waking = false
    for (const [receiver, channel] of receivers) {
      const next = receiver.nextClaim()
      if (next) claim(channel, next.request).then(next.resolve, next.reject)
    }
  }

  return {
    add: (receiver, channel) => void receivers.set(receiver, channel),
    remove: (receiver) => void receivers.delete(receiver),
    stir(isMeant = () => true) {
      for (const [receiver, channel] of receivers) if (isMeant(channel)) receiver.stir()
    },
    claimNow,
    wake() {
      if (waking) return
      waking = true
      clock.soon(claimNow)
    },
    async closeAll() {
      await Promise.all([...receivers.keys()].map((receiver) => receiver.close()))
    },
  }
}

import { RedriveError } from '../../src/core/errors.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { faultChannels } from './messages.ts'

/** The real transport, whose dead-letter channel refuses while it is told to. */
export interface Refusable {
  readonly transport: Transport
  refuse(isDown: boolean): void
}

export function refusable(healthy: Transport): Refusable {
  let isDown = false
  const check = (channel: string): void => {
    if (isDown && channel === faultChannels.deadLetter) throw new RedriveError('refused', 'told to refuse')
  }
  return {
    refuse(now) {
      isDown = now
    },
    transport: {
      ...healthy,
      async settle(delivery, settlement) {
        if (settlement.kind === 'move') check(settlement.to.name)
        return healthy.settle(delivery, settlement)
      },
      async send(address, message, options) {
        check(address.name)
        return healthy.send(address, message, options)
      },
    },
  }
}

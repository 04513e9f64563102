import { RedriveError } from '../../../src/core/errors.ts'
import type { Clock } from '../../../src/core/ports.ts'
import type { ArmedFaults, Faults } from '../../../src/transports/memory/faults.ts'
import { underFaults } from '../../../src/transports/memory/under-faults.ts'
import type { Address, Delivery, Hold, Page, Receiver, Transport } from '../../../src/transports/seam.ts'

/** The verbs in which the families differ; a simulation asks for no others. */
export type FamilyVerbs = Pick<Transport, 'name' | 'capabilities' | 'provision' | 'extend' | 'settle' | 'send'> & {
  /** Gives at most `max` of what there is now. */
  handOut(address: Address, holdFor: number, max: number): readonly Delivery[]
  /** A receiver begins and ends. */
  join(address: Address): void
  leave(address: Address): void
  /** Calls back whenever something may have arrived. */
  onArrival(address: Address, wake: () => void): () => void
  /** The connection is gone, or was closed in peace. */
  lose(): void
  release(): void
}

const unsupported = (): Promise<never> => Promise.reject(new RedriveError('unsupported', 'This broker cannot do that.'))
const lostConnection = (): RedriveError => new RedriveError('hold-lost', 'The connection to the broker was lost.')
const noMessages: readonly Delivery[] = []
const noPage: Page = { messages: [] }

/** A connection under faults: what its family does, with receivers that wait, die and close. */
export function connectionOf(verbs: FamilyVerbs, given: Faults, clock: Clock): Transport {
  const faults = given as ArmedFaults
  const receivers = new Set<{ end(): void; tellLost(): void; close(): Promise<void> }>()
  let closed = false
  faults.attach({ lose })

  function lose(): void {
    const dying = [...receivers]
    receivers.clear()
    // What comes back must not be handed to whom it was just taken from.
    for (const receiver of dying) receiver.end()
    verbs.lose()
    for (const receiver of dying) receiver.tellLost()
  }

  function refuseClosed(): void {
    if (closed) throw new RedriveError('closed', 'The connection is closed.')
  }

  async function receive(...[address, { hold }]: Parameters<Transport['receive']>): Promise<Receiver> {
    refuseClosed()
    verbs.join(address)
    const receiver = receiverOver(
      (max) => verbs.handOut(address, hold, max),
      (wake) => verbs.onArrival(address, wake),
      clock,
    )
    const close = async (): Promise<void> => {
      if (receivers.delete(open)) verbs.leave(address)
      receiver.end()
    }
    const open = { end: receiver.end, tellLost: receiver.tellLost, close }
    receivers.add(open)
    return { take: receiver.take, lost: receiver.lost, close }
  }

  const healthy: Transport = {
    name: verbs.name,
    capabilities: verbs.capabilities,
    provision: verbs.provision,
    receive,
    extend: verbs.extend,
    settle: verbs.settle,
    send: verbs.send,
    browse: async () => noPage,
    remove: unsupported,
    measure: unsupported,
    async close() {
      if (closed) return
      closed = true
      for (const receiver of receivers) await receiver.close()
      verbs.release()
    },
  }
  return underFaults(healthy, faults, clock)
}

interface WaitingReceiver {
  take(max: number, wait: number): Promise<readonly Delivery[]>
  readonly lost: AbortSignal
  /** Nothing is handed out any more. */
  end(): void
  tellLost(): void
}

function receiverOver(
  handOut: (max: number) => readonly Delivery[],
  onArrival: (wake: () => void) => () => void,
  clock: Clock,
): WaitingReceiver {
  const lost = new AbortController()
  let ended = false
  let giveUp: (() => void) | undefined

  function takeLater(max: number, wait: number): Promise<readonly Delivery[]> {
    return new Promise((resolve) => {
      const finish = (batch: readonly Delivery[]): void => {
        cancel()
        forget()
        giveUp = undefined
        resolve(batch)
      }
      const cancel = clock.after(wait, () => finish(noMessages))
      const forget = onArrival(() => {
        const batch = handOut(max)
        if (batch.length > 0) finish(batch)
      })
      giveUp = () => finish(noMessages)
    })
  }

  function end(): void {
    ended = true
    giveUp?.()
  }

  return {
    lost: lost.signal,
    async take(max, wait) {
      if (ended) return noMessages
      const batch = handOut(max)
      return batch.length > 0 || wait <= 0 ? batch : takeLater(max, wait)
    },
    end,
    tellLost: () => lost.abort(lostConnection()),
  }
}

/** What makes deliveries ours together. */
export interface SharedHold {
  readonly hold: Hold
  lose(): void
}

export function sharedHold(): SharedHold {
  const controller = new AbortController()
  return { hold: { signal: controller.signal }, lose: () => controller.abort(lostConnection()) }
}

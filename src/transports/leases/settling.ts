import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Delivery, Settlement } from '../seam.ts'
import { type Held, type Holdings, heldOf } from './holdings.ts'
import type { SettleJobOf } from './protocol.ts'

/** The verbs of the seam that concern what is held: each delivery is settled once, by whoever comes first. */
export interface Settling {
  settle(delivery: Delivery, settlement: Settlement): Promise<void>
  /** Resolves with `until` when the store has written it. */
  extend(delivery: Delivery, until: number, write: (held: Held) => Promise<unknown>): Promise<number>
  /** The transport closes: whoever still has a delivery is told why, and what was held is for others. */
  releaseAll(reason: RedriveError, release: (job: SettleJobOf<'release'>, held: Held) => Promise<unknown>): Promise<void>
}

export interface SettlingStore {
  readonly holdings: Holdings
  /** Throws when the transport is closed. */
  checkOpen(): void
  /** Begins at once; what cannot be carried out throws. */
  carryOut(held: Held, delivery: Delivery, settlement: Settlement): Promise<unknown>
  /** A claim that is made later may reach the store before it. */
  readonly mayBeOvertaken: boolean
}

export function createSettling({ holdings, checkOpen, carryOut, mayBeOvertaken }: SettlingStore): Settling {
  /** What is on its way makes room at once; should it fail, it is in our hands again and can be settled anew. */
  function begin(held: Held, delivery: Delivery, settlement: Settlement): Promise<void> {
    const outcome = carryOut(held, delivery, settlement) as Promise<void>
    if (mayBeOvertaken) held.account.departed(1)
    held.account.settles(held, settlement.kind)
    holdings.remove(held)
    const departed = (): void => {
      if (mayBeOvertaken) held.account.departed(-1)
    }
    return outcome.then(departed, (error) => {
      held.settling = undefined
      holdings.add(held)
      departed()
      throw loseIfLost(held, error)
    })
  }

  function loseIfLost(held: Held, error: unknown): unknown {
    if (hasCode(error, 'hold-lost')) holdings.lose(held)
    return error
  }

  return {
    settle(delivery, settlement) {
      try {
        checkOpen()
        const held = heldOf(delivery)
        if (held.loss) throw held.loss
        held.settling ??= begin(held, delivery, settlement)
        return held.settling
      } catch (error) {
        return Promise.reject(error)
      }
    },

    async extend(delivery, until, write) {
      checkOpen()
      const held = heldOf(delivery)
      if (held.loss) throw held.loss
      if (held.settling) throw new RedriveError('hold-lost', 'The delivery has been settled.')
      await write(held).catch((error) => {
        throw loseIfLost(held, error)
      })
      held.until = until
      return until
    },

    async releaseAll(reason, release) {
      await Promise.allSettled(
        holdings.all().map((held) => {
          const { controller, hold, suspect, counted } = held
          controller?.abort(reason)
          return release({ kind: 'release', hold, suspect, counted, unseen: false }, held)
        }),
      )
    },
  }
}

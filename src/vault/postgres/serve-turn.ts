import type { Lease } from './lease.ts'
import type { Renewals } from './renewal.ts'

/** A turn that has come. */
export interface Turn {
  /** In its name everything is written that only one may write. */
  readonly token: string
  isOurs(): boolean
}

export interface ServingTurn {
  readonly lease: Lease
  readonly renewals: Renewals
  readonly token: string
  /** When the lease was asked for, of the monotonic clock. */
  readonly takenAt: number
  readonly work: (turn: Turn) => Promise<() => Promise<void>>
  readonly onBegun: () => void
  readonly onProblem: (error: unknown) => void
}

/** Work with a lease that was just taken. */
export interface ServedTurn {
  /** It has begun, and nothing has ended it. */
  readonly isOn: boolean
  readonly isEnding: boolean
  /** It is not to go on. */
  end(): void
  /** Resolves when nothing is under way any more, and the lease is given back. */
  readonly over: Promise<void>
}

/** Works until it is ended or somebody else has the lease. */
export function serveTurn({ lease, renewals, token, takenAt, work, onBegun, onProblem }: ServingTurn): ServedTurn {
  const ending = Promise.withResolvers<void>()
  let isOn = false
  let isEnding = false
  const over = serve()

  function end(): void {
    isEnding = true
    ending.resolve()
  }

  async function serve(): Promise<void> {
    const renewal = renewals.keep({ token, takenAt, onLost: end })
    try {
      const end = await work({ token, isOurs: renewal.isOurs })
      isOn = true
      onBegun()
      await ending.promise
      isOn = false
      await end()
    } catch (error) {
      onProblem(error)
    }
    await renewal.stop()
    // What is not given back ends by itself.
    await lease.giveBack(token).catch(() => {})
  }

  return {
    get isOn() {
      return isOn
    },
    get isEnding() {
      return isEnding
    },
    end,
    over,
  }
}

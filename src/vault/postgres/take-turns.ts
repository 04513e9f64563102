import type { Clock, NewId } from '../../core/ports.ts'
import type { Lease } from './lease.ts'
import type { LeaseTiming } from './lease-timing.ts'
import { keepRenewing } from './renewal.ts'

/** A turn that has come. */
export interface Turn {
  /** In its name everything is written that only one may write. */
  readonly token: string
  isOurs(): boolean
}

export interface TakingTurns {
  readonly lease: Lease
  readonly clock: Clock
  readonly timing: LeaseTiming
  readonly newToken: NewId
  readonly work: (turn: Turn) => Promise<() => Promise<void>>
  readonly onProblem: (error: unknown) => void
}

export interface Turns {
  /** It works. */
  readonly isOn: boolean
  /** Resolves when it has begun to work, or stands by. */
  readonly settled: Promise<void>
  /** Somebody has given the lease back: it is worth a look. */
  look(): void
  stop(): Promise<void>
}

/** Stands by until the lease is free, works for as long as it is ours, and stands by again. Work of one turn has ended before the next is asked for. */
export function takeTurns({ lease, clock, timing, newToken, work, onProblem }: TakingTurns): Turns {
  let isStopped = false
  let isOn = false
  let rouse: () => void = () => {}
  const settled = Promise.withResolvers<void>()
  const running = run()

  async function run(): Promise<void> {
    while (!isStopped) {
      const token = newToken()
      const takenAt = clock.monotonic()
      const isTaken = await lease.take(token).catch(() => false)
      if (isTaken) await serve(token, takenAt)
      settled.resolve()
      if (!isStopped) await untilRoused(timing.lookEvery)
    }
  }

  async function serve(token: string, takenAt: number): Promise<void> {
    let isOver = isStopped
    const renewal = keepRenewing({ lease, token, clock, timing, takenAt, onLost: over })
    function over(): void {
      isOver = true
      rouse()
    }
    try {
      const end = await work({ token, isOurs: renewal.isOurs })
      isOn = true
      settled.resolve()
      while (!isOver && !isStopped) await untilRoused(Number.POSITIVE_INFINITY)
      isOn = false
      await end()
    } catch (error) {
      onProblem(error)
    }
    await renewal.stop()
    // What is not given back ends by itself.
    await lease.giveBack(token).catch(() => {})
  }

  function untilRoused(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === Number.POSITIVE_INFINITY ? () => {} : clock.after(ms, done, { background: true })
      rouse = done
      function done(): void {
        cancel()
        rouse = () => {}
        resolve()
      }
    })
  }

  return {
    get isOn() {
      return isOn
    },
    settled: settled.promise,
    look: () => rouse(),
    async stop() {
      isStopped = true
      rouse()
      await running
    },
  }
}

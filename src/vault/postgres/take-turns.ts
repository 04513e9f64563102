import type { Clock, NewId } from '../../core/ports.ts'
import { createSleep } from '../../platform/sleep.ts'
import type { LeaseTiming } from './lease-timing.ts'
import { type ServedTurn, type ServingTurn, serveTurn } from './serve-turn.ts'

export interface TakingTurns extends Pick<ServingTurn, 'lease' | 'renewals' | 'work' | 'onProblem'> {
  readonly clock: Clock
  readonly timing: LeaseTiming
  readonly newToken: NewId
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
export function takeTurns({ lease, renewals, clock, timing, newToken, work, onProblem }: TakingTurns): Turns {
  const sleep = createSleep(clock)
  let isStopped = false
  let turn: ServedTurn | undefined
  const settled = Promise.withResolvers<void>()
  const running = run()

  async function run(): Promise<void> {
    while (!isStopped) {
      const token = newToken()
      const takenAt = clock.monotonic()
      const isTaken = await lease.take(token).catch(() => false)
      if (isTaken) await serve(token, takenAt)
      settled.resolve()
      if (!isStopped) await sleep.during(timing.lookEvery)
    }
  }

  async function serve(token: string, takenAt: number): Promise<void> {
    turn = serveTurn({ lease, renewals, token, takenAt, work, onProblem, onBegun: settled.resolve })
    if (isStopped) turn.end()
    await turn.over
  }

  return {
    get isOn() {
      return turn?.isOn ?? false
    },
    settled: settled.promise,
    look: sleep.rouse,
    async stop() {
      isStopped = true
      turn?.end()
      sleep.rouse()
      await running
    },
  }
}

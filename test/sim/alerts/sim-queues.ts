import { RedriveError } from '../../../src/core/errors.ts'
import type { VirtualClock } from '../../../src/platform/virtual-clock.ts'
import type { Chance } from '../seeded-random.ts'
import type { AlertWeather } from './alert-weather.ts'

export interface SimQueue {
  readonly connection: string
  readonly name: string
}

/** What is really in the dead-letter queues, and whether anybody can ask: the truth that alerts are held against. Virtual milliseconds. */
export interface SimQueues {
  readonly all: readonly SimQueue[]
  levelOf(queue: SimQueue): number
  /** Whether it was empty at some time in a span. */
  wasEmpty(queue: SimQueue, from: number, to: number): boolean
  set(queue: SimQueue, level: number): void
  /** As a broker answers, or does not. */
  measure(queue: SimQueue): number
  takeDown(connection: string, ms: number): void
  restore(): void
  /** Letters that could not be written, counted, and when. */
  readonly publishFailures: readonly number[]
  failToPublish(): void
}

export const connections = ['shop', 'bank'] as const

export function simQueues(clock: VirtualClock, { queues }: AlertWeather): SimQueues {
  const all: readonly SimQueue[] = connections.flatMap((connection, index) =>
    Array.from({ length: queues[index] ?? 0 }, (_, n) => ({ connection, name: `dlq.${n}` })),
  )
  const levels = new Map(all.map((queue) => [queue, [{ from: 0, level: 0 }]]))
  const downUntil = new Map<string, number>()
  const publishFailures: number[] = []
  const historyOf = (queue: SimQueue): { from: number; level: number }[] => levels.get(queue) ?? []
  const levelOf = (queue: SimQueue): number => historyOf(queue).at(-1)?.level ?? 0

  return {
    all,
    levelOf,
    wasEmpty: (queue, from, to) =>
      historyOf(queue).some(({ from: begun, level }, index, history) => {
        const ended = history[index + 1]?.from ?? Number.POSITIVE_INFINITY
        return level === 0 && begun <= to && ended >= from
      }),
    set: (queue, level) => void historyOf(queue).push({ from: clock.monotonic(), level }),
    measure(queue) {
      if (clock.monotonic() < (downUntil.get(queue.connection) ?? 0)) throw new RedriveError('unreachable', 'The broker is away.')
      return levelOf(queue)
    },
    takeDown: (connection, ms) => void downUntil.set(connection, clock.monotonic() + ms),
    restore: () => downUntil.clear(),
    publishFailures,
    failToPublish: () => void publishFailures.push(clock.monotonic()),
  }
}

/** None, some, and around every threshold. */
export function anyLevel(chance: Chance): number {
  return chance.pick([0, 0, 0, 1, 7, 90, 150, 900, 1500])
}

import { type GroupTimers, usualTimers } from '../../../src/core/alerts/grouping.ts'
import type { Hardship } from '../replay/mortal.ts'
import type { Chance } from '../seeded-random.ts'

/** How bad it gets for one control plane that alerts. Drawn once per seed, so that some are calm and some are brutal. */
export interface AlertWeather extends Hardship {
  /** Queues of each of two brokers. */
  readonly queues: readonly [number, number]
  readonly probeEvery: number
  /** For how long things go wrong. Virtual milliseconds. */
  readonly storm: number
  /** How often a process dies before or after a call to its vault or to a receiver. */
  readonly deaths: number
  /** Per turn of the storm, of half a minute: a process dies, another number of letters is in a queue, letters cannot be written. */
  readonly crashes: number
  readonly changes: number
  readonly publishFailures: number
  /** Per turn: a broker, or a receiver, goes away for a while. */
  readonly brokerOutages: number
  readonly sinkOutages: number
  /** How often a receiver refuses, is busy, takes something without a word or says nothing. */
  readonly sinkFaults: number
  /** Per turn: somebody wants silence, or says that they know. */
  readonly meddling: number
  /** Per turn: the wall clock is set. */
  readonly jumps: number
  /** Whether one queue is filled and emptied all the time. */
  readonly flaps: boolean
  /** When groups speak: as usual, or so often that there is too much to say. */
  readonly timers: GroupTimers
  /** Whether the pager hears only of what is critical. */
  readonly pagerIsPicky: boolean
  /** Whether a broker is away when the storm is over. */
  readonly endsDown: boolean
}

export function drawAlertWeather(chance: Chance): AlertWeather {
  const isBrutal = chance.happens(0.4)
  const rate = (calm: number, brutal: number): number => (chance.happens(0.5) ? 0 : isBrutal ? brutal : calm)
  return {
    queues: [chance.between(1, 3), chance.between(0, 1)],
    probeEvery: chance.pick([15_000, 30_000, 60_000]),
    storm: chance.between(5, 30) * 60_000,
    slowness: chance.pick([0, 0, 20, 2000]),
    vaultFaults: rate(0.01, 0.1),
    deaths: rate(0.002, 0.02),
    crashes: rate(0.01, 0.1),
    changes: chance.pick([0.05, 0.3, 1]),
    publishFailures: rate(0.02, 0.1),
    brokerOutages: rate(0.02, 0.1),
    sinkOutages: rate(0.02, 0.1),
    sinkFaults: rate(0.05, 0.3),
    meddling: rate(0.05, 0.3),
    jumps: chance.happens(0.15) ? 0.05 : 0,
    flaps: chance.happens(0.25),
    timers: chance.happens(0.2) ? { ...usualTimers, wait: 5000, interval: 20_000 } : usualTimers,
    pagerIsPicky: chance.happens(0.5),
    endsDown: chance.happens(0.5),
  }
}

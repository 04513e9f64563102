import type { BrokerKind } from './brokers/brokers.ts'
import type { Family } from './brokers/sim-broker.ts'
import type { Chance } from './seeded-random.ts'

/** How bad it gets in one simulation. Drawn once per seed, so that some are calm and some are brutal. */
export interface Weather extends BrokerKind {
  readonly messages: number
  readonly processes: number
  readonly concurrency: number
  readonly prefetch: number
  readonly hold: number
  readonly lanes: boolean
  readonly immediate: number
  readonly retries: number
  readonly timeout: number
  /** For how long things go wrong. Virtual milliseconds. */
  readonly storm: number
  /** How often a call to the broker fails, before or after it took effect. */
  readonly callFaults: number
  /** Per virtual second: a process dies, a connection breaks, a process is redeployed. */
  readonly crashes: number
  readonly disconnects: number
  readonly deploys: number
  /** Per virtual second: a log hands its partitions out anew. */
  readonly rebalances: number
  /** Whether the dead-letter channel refuses everything during the storm. */
  readonly graveDown: boolean
  /** How many may wait for it at once. */
  readonly maxHeld: number
  /** Who writes the letter: we, or the broker where it can. */
  readonly deadLettering: 'annotated' | 'native'
  readonly clockJumps: boolean
}

export function drawWeather(chance: Chance): Weather {
  const isBrutal = chance.happens(0.4)
  const rate = (calm: number, brutal: number): number => (chance.happens(0.5) ? 0 : isBrutal ? brutal : calm)
  const family = chance.pick<Family>(['lease', 'lease', 'tag', 'tag', 'log', 'pending'])
  const lanes = (family === 'lease' || family === 'log') && chance.happens(0.5)
  return {
    family,
    tagCounts: chance.pick(['deliveries', 'copies']),
    messages: chance.between(10, 60),
    processes: chance.between(1, 3),
    concurrency: chance.between(1, 20),
    prefetch: chance.between(1, 50),
    hold: chance.pick([2000, 10_000, 30_000]),
    lanes,
    immediate: chance.between(0, 2),
    // On a log a retry is a copy, which later messages of its key overtake: with order there is none.
    retries: family === 'log' && lanes ? 0 : chance.between(0, 3),
    timeout: chance.pick([500, 5000, 30_000]),
    storm: chance.between(5, 60) * 1000,
    callFaults: rate(0.02, 0.2),
    crashes: rate(0.05, 0.5),
    disconnects: rate(0.05, 0.5),
    deploys: rate(0.05, 0.3),
    rebalances: family === 'log' ? rate(0.05, 0.3) : 0,
    graveDown: chance.happens(0.3),
    maxHeld: chance.pick([1, 5, 100]),
    deadLettering: chance.pick(['annotated', 'native']),
    clockJumps: chance.happens(0.3),
  }
}

import type { Canary } from '../../../src/core/canary.ts'
import type { Chance } from '../seeded-random.ts'

/** How bad it gets for one control plane that replays. Drawn once per seed, so that some are calm and some are brutal. */
export interface ReplayWeather {
  readonly letters: number
  readonly keys: number
  /** Whether what is replayed is processed, dies again, or the one or the other. */
  readonly handler: 'works' | 'fails' | 'mixed'
  readonly canary: Canary | undefined
  readonly rate: number
  readonly reports: boolean
  /** For how long things go wrong. Virtual milliseconds. */
  readonly storm: number
  /** How often a call to the vault fails, before or after it took effect; how often one to the broker does. */
  readonly vaultFaults: number
  readonly sendFaults: number
  /** The most that a call to either takes. Virtual milliseconds. */
  readonly slowness: number
  /** Per virtual second: the control plane dies, the broker dies, a person does something. */
  readonly crashes: number
  readonly outages: number
  readonly meddling: number
  readonly consumerPaused: boolean
}

export function drawReplayWeather(chance: Chance): ReplayWeather {
  const isBrutal = chance.happens(0.4)
  const rate = (calm: number, brutal: number): number => (chance.happens(0.5) ? 0 : isBrutal ? brutal : calm)
  return {
    letters: chance.between(2, 16),
    keys: chance.pick([0, 2, 5]),
    handler: chance.pick(['works', 'fails', 'mixed']),
    canary: chance.pick([undefined, { first: 1, growth: 3, tolerated: 0 }, { first: 3, growth: 2, tolerated: 0 }]),
    rate: chance.pick([2, 1000]),
    reports: chance.happens(0.5),
    storm: chance.between(4, 15) * 1000,
    vaultFaults: rate(0.01, 0.1),
    sendFaults: rate(0.05, 0.3),
    slowness: chance.pick([0, 20, 500]),
    crashes: rate(0.1, 0.5),
    outages: rate(0.05, 0.2),
    meddling: rate(0.1, 0.5),
    consumerPaused: chance.happens(0.2),
  }
}

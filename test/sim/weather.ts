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
  /** Whether the dead-letter channel refuses everything during the storm, or comes and goes. */
  readonly graveDown: boolean
  readonly graveFlaps: boolean
  /** How many may wait for it at once. */
  readonly maxHeld: number
  /** Who writes the letter: we, or the broker where it can. */
  readonly deadLettering: 'annotated' | 'native'
  readonly clockJumps: boolean
  /** What is done with a letter that the dead-letter channel refuses. */
  readonly answer: 'hold' | 'drop' | 'spool'
  /** Letters a second that leave the spool. */
  readonly drainRate: number
  readonly disk: DiskWeather
  /** Per virtual second: the machine of all processes loses its power, and its disk what was not synced. */
  readonly powerCuts: number
  readonly breaker: boolean
  /** When whatever the handlers depend on is down: they all fail then. Virtual milliseconds since the start. */
  readonly outage: { readonly from: number; readonly to: number } | undefined
}

export interface DiskWeather {
  /** The most that one call takes. Virtual milliseconds. */
  readonly slowness: number
  /** How often a call fails, before or after it took effect. */
  readonly faults: number
  /** Bytes that fit during the storm. */
  readonly room: number
}

/** Small, so that a few dozen messages make an outage; no outage lasts as long as failures are pardoned. */
export const simBreaker = { runs: 5, share: 0.8, window: '1h', probeAfter: '1s', probeAtMost: '10s', pardon: 120_000 } as const

export function drawWeather(chance: Chance): Weather {
  const isBrutal = chance.happens(0.4)
  const rate = (calm: number, brutal: number): number => (chance.happens(0.5) ? 0 : isBrutal ? brutal : calm)
  const family = chance.pick<Family>(['lease', 'lease', 'tag', 'tag', 'log', 'pending'])
  const lanes = (family === 'lease' || family === 'log') && chance.happens(0.5)
  const answer = chance.pick<Weather['answer']>(['hold', 'hold', 'spool', 'spool', 'spool', 'drop'])
  const storm = chance.between(5, 60) * 1000
  const breaker = chance.happens(0.5)
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
    storm,
    callFaults: rate(0.02, 0.2),
    crashes: rate(0.05, 0.5),
    disconnects: rate(0.05, 0.5),
    deploys: rate(0.05, 0.3),
    rebalances: family === 'log' ? rate(0.05, 0.3) : 0,
    graveDown: chance.happens(answer === 'hold' ? 0.3 : 0.7),
    graveFlaps: chance.happens(0.3),
    maxHeld: chance.pick([1, 5, 100]),
    deadLettering: chance.pick(['annotated', 'native']),
    clockJumps: chance.happens(0.3),
    answer,
    drainRate: chance.pick([2, 500]),
    disk: {
      slowness: chance.pick([0, 0, 10, 300]),
      faults: rate(0.02, 0.2),
      room: chance.pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 3000]),
    },
    powerCuts: answer === 'spool' ? rate(0.03, 0.15) : 0,
    breaker,
    outage: breaker && chance.happens(0.6) ? drawOutage(chance, storm) : undefined,
  }
}

/**
 * Messages have keys that their broker knows nothing of, and each process keeps its own in order. Made from what is drawn anyway, so that all
 * others stay as they were.
 */
export function keepsOrderAlone({ lanes, messages, prefetch }: Pick<Weather, 'lanes' | 'messages' | 'prefetch'>): boolean {
  return !lanes && (messages + prefetch) % 5 < 2
}

function drawOutage(chance: Chance, storm: number): Weather['outage'] {
  const from = chance.between(0, storm / 2)
  return { from, to: chance.between(from + 1000, storm) }
}

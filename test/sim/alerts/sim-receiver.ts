import type { Notification } from '../../../src/core/alerts/notification.ts'
import { routeOf } from '../../../src/core/alerts/route.ts'
import type { Sink } from '../../../src/notifiers/sink.ts'
import { notSent, type SendOutcome, sent } from '../../../src/outgoing/send-outcome.ts'
import type { VirtualClock } from '../../../src/platform/virtual-clock.ts'
import type { Chance } from '../seeded-random.ts'
import type { AlertWeather } from './alert-weather.ts'

export interface SimArrival {
  /** Virtual milliseconds. */
  readonly at: number
  readonly notification: Notification
}

/** Whoever is told. It keeps everything that arrived, also what it was sent twice. */
export interface SimReceiver {
  readonly name: string
  readonly onlyCritical: boolean
  /** Whether it keeps each group until it hears of its end, and no more than that. */
  readonly keepsState: boolean
  readonly arrivals: readonly SimArrival[]
  /** The way to it from one process; `step` is where that process may die. */
  connect(step: <T>(work: () => Promise<T>) => Promise<T>): Sink
  takeDown(ms: number): void
  heal(): void
}

/** `unheard` was taken, and nobody was told so; `silent` was not taken, and nobody was told so either. */
const faults = ['refused', 'busy', 'unheard', 'silent'] as const

export interface SimReceiverOptions {
  readonly name: string
  readonly onlyCritical: boolean
  readonly keepsState: boolean
  readonly clock: VirtualClock
  readonly chance: Chance
  readonly weather: AlertWeather
}

export function simReceiver({ name, onlyCritical, keepsState, clock, chance, weather }: SimReceiverOptions): SimReceiver {
  const arrivals: SimArrival[] = []
  let downUntil = 0
  let isCalm = false

  async function take(notification: Notification): Promise<SendOutcome> {
    if (clock.monotonic() < downUntil) return notSent('The receiver answered with status 503', true)
    const fault = !isCalm && chance.happens(weather.sinkFaults) ? chance.pick(faults) : undefined
    if (fault === 'refused') return notSent('The receiver answered with status 500', true)
    if (fault === 'busy') return notSent('The receiver answered with status 429', true, 30_000)
    if (fault === 'silent') return new Promise(() => {})
    arrivals.push({ at: clock.monotonic(), notification })
    if (fault === 'unheard') throw new Error('The connection was closed.')
    return sent
  }

  return {
    name,
    onlyCritical,
    keepsState,
    arrivals,
    connect: (step) => ({
      ...{ name, kind: 'sim', target: 'sim', keepsState },
      takes: routeOf({ severity: onlyCritical ? 'critical' : 'info' }),
      send: (notification) => step(() => take(notification)),
    }),
    takeDown(ms) {
      downUntil = clock.monotonic() + ms
    },
    heal() {
      isCalm = true
      downUntil = 0
    },
  }
}

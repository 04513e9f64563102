import { RedriveError } from '../../../src/core/errors.ts'
import { textHeader } from '../../../src/core/headers.ts'
import { redriveHeaders } from '../../../src/core/letter.ts'
import type { Message } from '../../../src/core/message.ts'
import type { VirtualClock } from '../../../src/platform/virtual-clock.ts'
import { defaultLimits, memoryCapabilities } from '../../../src/transports/memory/capabilities.ts'
import type { Transport } from '../../../src/transports/seam.ts'
import type { Chance } from '../seeded-random.ts'
import type { Mortality } from './mortal.ts'
import type { ReplayWeather } from './replay-weather.ts'

/** A message as it lies in the queue: which letter it was, and which replay sent it. */
export interface ReplayArrival {
  readonly number: number
  readonly generation: number
  readonly replay: number
  readonly name: string
  fate?: 'succeeded' | 'failed'
}

/** A broker that takes what is replayed, with a consumer behind it. It keeps no secrets from the checker. */
export interface ReplayBroker {
  readonly arrivals: readonly ReplayArrival[]
  /** A connection of one process, which ends with it. */
  connect(process: Mortality): Transport
  /** It dies and is back after a while: who waits for a confirmation gets none. */
  crash(): void
  heal(): void
}

export interface ReplayBrokerOptions {
  readonly clock: VirtualClock
  readonly chance: Chance
  readonly weather: ReplayWeather
  /** The consumer is done with it. */
  readonly onHandled: (arrival: ReplayArrival, fate: 'succeeded' | 'failed') => Promise<void>
}

export function replayBroker({ clock, chance, weather, onHandled }: ReplayBrokerOptions): ReplayBroker {
  const arrivals: ReplayArrival[] = []
  let isPaused = weather.consumerPaused
  let isCalm = false
  let lives = 0
  let backAt = 0

  function write(message: Message): void {
    const arrival = arrivalOf(message)
    arrivals.push(arrival)
    clock.after(chance.between(0, 2000), () => void handle(arrival))
  }

  async function handle(arrival: ReplayArrival): Promise<void> {
    if (isPaused) return void clock.after(1000, () => void handle(arrival))
    if (arrival.fate) return
    arrival.fate = isDoomed(arrival, weather) ? 'failed' : 'succeeded'
    await onHandled(arrival, arrival.fate)
  }

  async function send(process: Mortality, message: Message): Promise<{ readonly duplicate: false }> {
    await process.takesTime()
    if (clock.monotonic() < backAt) throw new RedriveError('unreachable', 'The broker is away.')
    const life = lives
    const fault = !isCalm && chance.happens(weather.sendFaults) ? chance.pick(faults) : undefined
    if (fault === 'refused' || fault === 'unreachable') throw new RedriveError(fault, 'Told to fail.')
    if (fault !== 'lost') write(message)
    await process.takesTime()
    if (fault !== undefined || life !== lives) throw new RedriveError('unsure', 'It was not confirmed.')
    return { duplicate: false }
  }

  return {
    arrivals,
    connect: (process) => ({
      ...({} as Transport),
      name: 'sim',
      capabilities: memoryCapabilities(defaultLimits),
      send: (_, message) => send(process, message),
      async measure() {
        await process.takesTime()
        const pending = arrivals.filter(({ fate }) => fate === undefined).length
        return { retained: pending, pending }
      },
    }),
    crash() {
      lives++
      backAt = clock.monotonic() + chance.between(100, 5000)
    },
    heal() {
      isPaused = false
      isCalm = true
      backAt = 0
    },
  }
}

/** `lost` and `unheard` are not confirmed; the first was not written, the second was. */
const faults = ['refused', 'unreachable', 'lost', 'unheard', 'unheard'] as const

function isDoomed({ number, generation }: ReplayArrival, { handler }: ReplayWeather): boolean {
  return handler === 'fails' || (handler === 'mixed' && (number + generation) % 3 === 0)
}

function arrivalOf({ headers, body }: Message): ReplayArrival {
  const text = (name: string): string => textHeader(headers, name) ?? ''
  return {
    number: Number(Buffer.from(body ?? []).toString()),
    generation: Number(text(redriveHeaders.generation)),
    replay: Number(text(redriveHeaders.replay)),
    name: text(redriveHeaders.letter),
  }
}

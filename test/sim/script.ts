import type { Message } from '../../src/core/message.ts'
import type { Clock } from '../../src/core/ports.ts'
import type { VirtualClock } from '../../src/platform/virtual-clock.ts'
import type { Context } from '../../src/runtime/context.ts'
import type { Chance } from './seeded-random.ts'
import { keepsOrderAlone, type Weather } from './weather.ts'

export const simChannels = { work: 'sim.work', deadLetter: 'sim.dead', invalid: 'sim.invalid' } as const

/**
 * What each message does to its handler. `good` and `slow` always succeed, `flaky` at its second run; the others never do:
 * `bad` throws, `hanging` waits for its signal, `deaf` ignores it for a while, `deadly` kills its process, `torn` does not decode.
 */
export type Part = 'good' | 'slow' | 'flaky' | 'bad' | 'hanging' | 'deaf' | 'deadly' | 'torn'

/** A process as its handlers know it. */
export interface Mortal {
  readonly alive: boolean
  /** When its breaker was open, as it told. */
  readonly openings: readonly Opening[]
  /** Whether the broker has given it this message, and has not taken it away. */
  owns(id: string): boolean
  crash(): void
}

/** Virtual milliseconds. */
export interface Opening {
  readonly from: number
  to: number
}

/** One call of a handler, which for a batch is that of all its messages. Virtual milliseconds. */
export interface Call {
  readonly startedAt: number
  /** What became of its messages is not told before. */
  endedAt: number
}

export function beginCall(clock: Clock): Call {
  return { startedAt: clock.monotonic(), endedAt: Number.POSITIVE_INFINITY }
}

export interface Run {
  readonly number: number
  readonly lane: string | undefined
  /** Which process made it. */
  readonly process: Mortal
  /** How often the message had been handed out by then. */
  readonly handOut: number
  readonly call: Call
  /** Virtual milliseconds. */
  readonly startedAt: number
  endedAt: number
  /** Whether it went on although the message had been taken away from that process. */
  unfenced: boolean
  endedAs?: 'succeeded' | 'failed' | 'died' | 'fenced'
}

/** The handlers' side of a simulation, and the observer that sees every run. */
export interface Script {
  readonly parts: readonly Part[]
  readonly runs: readonly Run[]
  message(number: number): Message
  /** For a message in a batch, within the call of the batch. */
  handle(context: Context, process: Mortal, call?: Call): Promise<void>
  processDied(process: Mortal): void
}

const frequencies: readonly [Part, ...Part[]] = [
  'good',
  'good',
  'good',
  'good',
  'slow',
  'flaky',
  'bad',
  'hanging',
  'deaf',
  'torn',
]
const withoutTorn: readonly [Part, ...Part[]] = ['good', 'good', 'good', 'good', 'slow', 'flaky', 'bad', 'hanging']

export interface ScriptSetting {
  readonly clock: VirtualClock
  readonly chance: Chance
  readonly weather: Pick<Weather, 'messages' | 'prefetch' | 'lanes' | 'outage'>
  /** How often a message was handed out so far. */
  readonly given: (id: string) => number
}

export function writeScript({ clock, chance, weather, given }: ScriptSetting): Script {
  const { messages, outage } = weather
  const isKeyed = weather.lanes || keepsOrderAlone(weather)
  // What does not decode tells nothing of an outage: without it, one can say how many failures open a breaker.
  const choices = outage ? withoutTorn : frequencies
  const parts = Array.from({ length: messages }, () => (chance.happens(0.03) ? 'deadly' : chance.pick(choices)))
  // Messages that look alike and are not: whoever takes one for the other loses it.
  const bodies = parts.map((_, number) => (number > 0 && chance.happens(0.15) ? chance.between(0, number - 1) : number))
  const keys = parts.map(() => `k${chance.between(0, 5)}`)
  const runs: Run[] = []
  const runsOf = new Map<number, number>()
  const encoder = new TextEncoder()

  const isDown = (): boolean => outage !== undefined && clock.monotonic() >= outage.from && clock.monotonic() < outage.to

  async function perform(part: Part, number: number, context: Context, process: Mortal): Promise<void> {
    switch (part) {
      case 'slow':
        return wait(clock, chance.between(50, 400))
      case 'flaky':
        if (runsOf.get(number) === 1) throw new Error('not this time')
        return
      case 'bad':
        throw new Error('never')
      case 'hanging':
        return untilAborted(context.signal)
      case 'deaf':
        await wait(clock, 60_000)
        throw new Error('heard nothing')
      case 'deadly':
        process.crash()
        return new Promise(() => {})
      default:
        return
    }
  }

  /** Several holds that are lost in one moment are lost one after the other: a run may begin between, and must be stopped at once. */
  async function fenced(run: Run, id: string, { signal }: Context, process: Mortal): Promise<void> {
    if (!process.alive || process.owns(id)) return
    await new Promise<void>((resolve) => clock.soon(resolve))
    run.unfenced = run.endedAs === undefined && process.alive && !signal.aborted
  }

  return {
    parts,
    runs,
    message(number) {
      const text = JSON.stringify({ order: bodies[number] })
      const body = encoder.encode(parts[number] === 'torn' ? `${text} torn` : text)
      return { id: `m${number}`, type: 'task', body, headers: [], ...(isKeyed && { key: keys[number] ?? '' }) }
    },
    async handle(context, process, batch) {
      const { id = '' } = context.message
      const number = Number(id.slice(1))
      const lane = isKeyed ? keys[number] : undefined
      const own = beginCall(clock)
      const run: Run = { number, process, unfenced: false, lane, handOut: given(id), call: batch ?? own, ...own }
      void fenced(run, id, context, process)
      runs.push(run)
      runsOf.set(number, (runsOf.get(number) ?? 0) + 1)
      try {
        await perform(parts[number] ?? 'good', number, context, process)
        if (isDown()) throw new Error('what it needs is down')
        if (!process.alive) return await new Promise(() => {})
        run.endedAs ??= 'succeeded'
      } catch (error) {
        run.endedAs ??= 'failed'
        throw error
      } finally {
        run.endedAt = clock.monotonic()
        own.endedAt = run.endedAt
      }
    },
    processDied(process) {
      for (const run of runs) if (run.process === process) run.endedAs ??= 'died'
    },
  }
}

function wait(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

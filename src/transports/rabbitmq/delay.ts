import { hasCode, RedriveError } from '../../core/errors.ts'
import { type Ask, askUntilFound } from './admin.ts'
import { isNotFound } from './amqp-errors.ts'
import type { BindingPart, Blueprint } from './blueprint.ts'
import { longestDelay } from './capabilities.ts'
import { declare } from './declare.ts'
import { argumentsFor, type QueueArguments } from './queue-arguments.ts'

/**
 * Delays on a stock broker. RabbitMQ can only let messages expire at the head of a queue, so all messages of one queue must wait
 * equally long. There is one queue for each power of two; a delay is the sum of some of them, and a message waits in those
 * queues one after the other, from the longest to the shortest.
 *
 * The routing key says which: one word for each level, `1` or `0`, then the name of the queue that the message goes home to. The
 * exchange of a level puts a message into the queue of that level or passes it on to the exchange below; below the last one
 * is the exchange of those that return, to which every home queue is bound. What has no home any more goes to the orphans.
 */
export const levels = 23
/** Milliseconds of level 0. With 23 levels the longest delay is twelve days. */
export const unit = 125
/** A delay is rounded up to so many binary digits: at most 1/16 longer than asked for, and never more than five hops. */
const digits = 5
/** The broker's limit for a routing key; one word and its dot for each level. */
const longestHome = 255 - 2 * levels

export interface DelayedRoute {
  readonly exchange: string
  readonly routingKey: string
  readonly level: number
}

export interface DelayNames {
  readonly level: (level: number) => string
  readonly homecoming: string
  readonly orphans: string
}

export function delayNames(prefix: string): DelayNames {
  return {
    level: (level) => `${prefix}.delay.${String(level).padStart(2, '0')}`,
    homecoming: `${prefix}.return`,
    orphans: `${prefix}.orphans`,
  }
}

/** How many units a delay is, rounded up. */
export function unitsOf(delay: number): number {
  const units = Math.max(1, Math.ceil(delay / unit))
  const grain = 2 ** Math.max(0, Math.floor(Math.log2(units)) + 1 - digits)
  return Math.ceil(units / grain) * grain
}

export function levelOf(delay: number): number {
  return Math.floor(Math.log2(unitsOf(delay)))
}

export function routeFor(names: DelayNames, home: string, delay: number): DelayedRoute {
  if (delay > longestDelay) throw new RedriveError('unsupported', `A delay of ${delay} ms is longer than ${longestDelay} ms.`)
  if (Buffer.byteLength(home) > longestHome || /(^|\.)[*#](\.|$)/.test(home))
    throw new RedriveError('unsupported', `Messages for "${home}" cannot be delayed: its name is too long or has a wildcard.`)
  const level = levelOf(delay)
  const words = [...unitsOf(delay).toString(2).padStart(levels, '0')]
  return { exchange: names.level(level), routingKey: [...words, home].join('.'), level }
}

export interface Delays {
  /** Makes sure that a message can wait so long and then find home. Rejects with `unknown-channel` when there is no home. */
  prepare(home: string, level: number): Promise<void>
  /** What home is bound may be another queue by now: look again before the next use. */
  forget(): void
  /** The broker led a message nowhere: also what is there may be unbound, because whoever made it died before it was bound. */
  doubt(): void
}

export function createDelays(ask: Ask, names: DelayNames): Delays {
  const homes = new Map<string, Promise<void>>()
  let highest: { readonly level: number; readonly ready: Promise<void> } | undefined
  let isDoubted = false

  /** They are created from the lowest upwards, so the highest one vouches for the others. */
  function exists(level: number): Promise<boolean> {
    return ask(`queue "${names.level(level)}"`, async (channel) => {
      await channel.checkQueue(names.level(level))
      return true
    }).catch((error) => {
      if (error instanceof RedriveError && isNotFound(error.cause)) return false
      throw error
    })
  }

  function create(level: number): Promise<void> {
    return askUntilFound(ask)('the delay queues', (channel, { version }) =>
      declare(channel, delayBlueprint(names, level, version)),
    )
  }

  async function createIfMissing(level: number): Promise<void> {
    if (isDoubted) await createAnew(level)
    else if (!(await exists(level))) await create(level)
  }

  /** Who may not make anything may have been doubting without reason. */
  async function createAnew(level: number): Promise<void> {
    await create(level).catch(async (error) => {
      if (!hasCode(error, 'access-denied') || !(await exists(level))) throw error
    })
    isDoubted = false
  }

  function findHome(home: string): Promise<void> {
    return ask(`queue "${home}"`, async (channel) => {
      await channel.checkQueue(home)
      await declare(channel, { exchanges: [], queues: [], bindings: [homeBinding(names, home)] })
    })
  }

  function forget(): void {
    homes.clear()
    highest = undefined
  }

  return {
    async prepare(home, level) {
      if (!highest || highest.level < level) highest = { level, ready: createIfMissing(level) }
      try {
        await highest.ready
        const bound = homes.get(home) ?? findHome(home)
        homes.set(home, bound)
        await bound
      } catch (error) {
        forget()
        throw error
      }
    },
    forget,
    doubt() {
      isDoubted = true
      forget()
    },
  }
}

/** The levels up to this one, what they lead to, and where those go that have no home. */
export function delayBlueprint(names: DelayNames, highest: number, version: string): Blueprint {
  const { homecoming, orphans } = names
  const levelsUsed = Array.from({ length: highest + 1 }, (_, level) => levelBlueprint(names, level))
  return {
    exchanges: [
      { name: orphans, type: 'fanout' },
      { name: homecoming, type: 'topic', alternate: orphans },
      ...levelsUsed.flatMap(({ exchanges }) => exchanges),
    ],
    queues: [
      { name: orphans, arguments: argumentsFor({ address: { name: orphans }, role: 'dead-letter' }, 'quorum', version) },
      ...levelsUsed.flatMap(({ queues }) => queues),
    ],
    bindings: [
      { source: orphans, destination: orphans, to: 'queue', routingKey: '' },
      ...levelsUsed.flatMap(({ bindings }) => bindings),
    ],
  }
}

function levelBlueprint(names: DelayNames, level: number): Blueprint {
  const name = names.level(level)
  const below = level === 0 ? names.homecoming : names.level(level - 1)
  const word = (value: string): string => `${'*.'.repeat(levels - 1 - level)}${value}.#`
  return {
    exchanges: [{ name, type: 'topic' }],
    queues: [{ name, arguments: delayArguments(level, below) }],
    bindings: [
      { source: name, destination: below, to: 'exchange', routingKey: word('0') },
      { source: name, destination: name, to: 'queue', routingKey: word('1') },
    ],
  }
}

export function homeBinding({ homecoming }: DelayNames, home: string): BindingPart {
  return { source: homecoming, destination: home, to: 'queue', routingKey: `${'*.'.repeat(levels)}${home}` }
}

/** Quorum queues whatever the home queues are: only they hand on what has expired without a moment in which a crash loses it. */
function delayArguments(level: number, below: string): QueueArguments {
  return {
    'x-queue-type': 'quorum',
    'x-message-ttl': unit * 2 ** level,
    'x-dead-letter-exchange': below,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  }
}

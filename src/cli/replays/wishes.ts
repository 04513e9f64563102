import type { Command } from 'commander'
import { parseDuration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Replays } from '../../ops/control-plane.ts'
import { atLeastOne, decimal } from '../arguments.ts'

export interface WishOptions {
  readonly rate: number
  /** `false` with `--no-canary`. */
  readonly canary: number | false
  readonly growth: number
  readonly tolerate: number
  readonly observe: string
  readonly to?: string
  readonly toOrigin?: boolean
}

type Wishes = Parameters<Replays['preview']>[1]

export function withWishes(command: Command): Command {
  return command
    .option('--rate <n>', 'letters a second, in all', decimal, 50)
    .option('--canary <n>', 'sends so many first, and more only when those have succeeded', atLeastOne, 1)
    .option('--no-canary', 'sends everything without looking')
    .option('--growth <n>', 'how many times larger each step is than all before it', decimal, 5)
    .option('--tolerate <share>', 'stops when more than this share comes back, from 0 to 1', decimal, 0)
    .option('--observe <time>', 'a letter that has not come back after this is taken to have succeeded', '2m')
    .option('--to <connection/channel>', 'somewhere else than where each letter died')
    .option('--to-origin', 'by the exchange that each was first published to (RabbitMQ): all queues bound there get it')
}

export function wishesOf({ rate, canary, growth, tolerate, observe, to, toOrigin }: WishOptions): Wishes {
  if (to !== undefined && toOrigin) throw new RedriveError('bad-option', 'Give --to or --to-origin, and not both.')
  return {
    rate,
    canary: canary === false ? undefined : { first: canary, growth, tolerated: tolerate },
    observe: parseDuration(observe, '--observe'),
    ...(to !== undefined && { destination: destinationOf(to) }),
    ...(toOrigin && { toOrigin }),
  }
}

/** A channel may hold a slash, a connection may not. */
function destinationOf(text: string): NonNullable<Wishes['destination']> {
  const slash = text.indexOf('/')
  if (slash > 0 && slash < text.length - 1) return { connection: text.slice(0, slash), channel: text.slice(slash + 1) }
  throw new RedriveError('bad-option', '--to needs connection/channel, such as shop/orders.')
}

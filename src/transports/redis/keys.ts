import { RedriveError } from '../../core/errors.ts'

/**
 * What stands on the server for one channel. The stream holds every message, waiting, delayed or held, until it is completed. The others
 * hold only what differs from a message that was never handed out, so most messages stand in none of them.
 */
export interface ChannelKeys {
  readonly stream: string
  /** Sorted by time: when what is delayed is due, and when a lease ends that is to last for another time than its consumer's name says. Milliseconds on the server's clock. */
  readonly times: string
  /** Turns that were recorded, by entry. */
  readonly turns: string
  /** Envelopes that a retry replaced, by entry: an entry of a stream never changes. */
  readonly envelopes: string
  /** Each consumer of ours, and what the group had read when it joined: so that nobody takes along what it holds when it is deleted by hand. */
  readonly joined: string
}

export function keysOf(prefix: string, name: string): ChannelKeys {
  if (name.startsWith('~'))
    throw new RedriveError('bad-option', `"${name}" is no name for a channel here: those with ~ are ours.`)
  const beside = (what: string): string => `${prefix}~${what}~${name}`
  return {
    ...{ stream: prefix + name, times: beside('times'), turns: beside('turns'), envelopes: beside('envelopes') },
    joined: beside('joined'),
  }
}

/** In the order in which every script expects them. */
export function keyList({ stream, times, turns, envelopes }: ChannelKeys): readonly string[] {
  return [stream, times, turns, envelopes]
}

/**
 * Under what name a consumer reads. It tells how long what is pending to it is its own, so that reading is all that a claim has to do. Names
 * without a number are those of older versions, which wrote the end of each lease down.
 */
export function consumerName(process: string, hold: number): string {
  return `redrive-${process}-${Math.ceil(hold)}`
}

/** Where processes tell each other that something may be claimable. */
export function notificationChannel(prefix: string): string {
  return `${prefix}~ready`
}

import { RedriveError } from '../../core/errors.ts'

/**
 * What stands on the server for one channel. The stream holds every message, waiting, delayed or held, until it is completed. The others
 * hold only what differs from a message that was never handed out, so most messages stand in none of them.
 */
export interface ChannelKeys {
  readonly stream: string
  /** Sorted by time: when the lease of what is held ends, and when what is delayed is due. Milliseconds on the server's clock. */
  readonly times: string
  /** Turns that were recorded, by entry. */
  readonly turns: string
  /** Envelopes that a retry replaced, by entry: an entry of a stream never changes. */
  readonly envelopes: string
}

export function keysOf(prefix: string, name: string): ChannelKeys {
  if (name.startsWith('~'))
    throw new RedriveError('bad-option', `"${name}" is no name for a channel here: those with ~ are ours.`)
  const beside = (what: string): string => `${prefix}~${what}~${name}`
  return { stream: prefix + name, times: beside('times'), turns: beside('turns'), envelopes: beside('envelopes') }
}

/** In the order in which every script expects them. */
export function keyList({ stream, times, turns, envelopes }: ChannelKeys): readonly string[] {
  return [stream, times, turns, envelopes]
}

/** Where processes tell each other that something may be claimable. */
export function notificationChannel(prefix: string): string {
  return `${prefix}~ready`
}

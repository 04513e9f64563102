import type { Duration } from '../../core/duration.ts'
import { durationWithin, wholeNumber } from '../../core/option-checks.ts'
import { badOption, readOptions } from '../../core/options.ts'
import type { Policy } from '../../core/policy.ts'
import { type PolicyOptions, policyKeys, readPolicy } from '../../core/policy-options.ts'
import type { ChannelSettings } from '../channel-options.ts'

/** How messages become batches; the policy options override those of the channel, and hold for each message by itself. */
export interface BatchOptions extends PolicyOptions {
  /** The most messages of one call. */
  readonly size?: number
  /** How long the first message of a batch waits for others, at most. */
  readonly wait?: Duration
}

export interface BatchSettings {
  readonly size: number
  readonly wait: number
  readonly policy: Policy
}

const mostMessages = 10_000

export function resolveBatch(options: BatchOptions | undefined, where: string, channel: ChannelSettings): BatchSettings {
  const given = readOptions(options, [...policyKeys, 'size', 'wait'], where)
  const size = given.read('size', wholeNumber({ min: 1, max: mostMessages }), 100)
  if (channel.isPrefetchGiven && size > channel.prefetch) {
    throw badOption(
      given.where('size'),
      size,
      `at most the channel's prefetch, which is ${channel.prefetch}: more is never in hand`,
    )
  }
  return {
    size,
    wait: given.read('wait', durationWithin({ min: '0ms', max: '1m' }), 100),
    policy: readPolicy(given, channel.policy),
  }
}

/** Where the user did not say how much may be in hand, it is enough to fill one batch while another one is handled. */
export function roomForBatches(channel: ChannelSettings, size: number): ChannelSettings {
  return channel.isPrefetchGiven ? channel : { ...channel, prefetch: Math.max(channel.prefetch, 2 * size) }
}

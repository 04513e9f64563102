import type { Duration } from './duration.ts'
import { RedriveError } from './errors.ts'
import { durationWithin, numberWithin, oneOf, wholeNumber } from './option-checks.ts'
import { badOption, type Check, type OptionReader, readOptions } from './options.ts'
import { type Backoff, defaultPolicy, type Policy, type RetryPolicy } from './policy.ts'

/** A policy as users write it: everything is optional, and durations may be text. */
export interface PolicyOptions {
  readonly retry?: {
    readonly immediate?: number
    readonly delayed?: { readonly retries?: number; readonly backoff?: BackoffOptions }
  }
  /** Seed 001's word for turns in all: 3 is the same as `retry.delayed.retries: 2`. Give one or the other. */
  readonly maxDeliveryCount?: number
  /** How long one handler run may take; `Infinity` for no limit. */
  readonly timeout?: Duration
  readonly onTimeout?: Policy['onTimeout']
  readonly poison?: Policy['poison']
}

export interface BackoffOptions {
  readonly kind?: Backoff['kind']
  readonly first?: Duration
  readonly max?: Duration
  readonly factor?: number
  readonly jitter?: number
}

export const policyKeys = ['retry', 'maxDeliveryCount', 'timeout', 'onTimeout', 'poison'] as const
export type PolicyKey = (typeof policyKeys)[number]

/** More turns than this is not a retry budget but an endless loop. */
const mostRetries = 1_000_000
/** Immediate runs hold the delivery and its slot. */
const mostImmediate = 1000

const retries = wholeNumber({ min: 0, max: mostRetries })
const delay = durationWithin({ min: '0ms', max: '365d' })
/** Timers of Node fire at once when they are set for longer than 24.8 days. */
const timeLimit = durationWithin({ min: '1ms', max: '24d' })

/** The policy that the options mean, complete; what they leave out is as in `base`. `where` says whose options they are. */
export function resolvePolicy(options: PolicyOptions | undefined, where: string, base: Policy = defaultPolicy): Policy {
  return readPolicy(readOptions(options, policyKeys, where), base)
}

/** For options that hold more than a policy: the reader knows their other keys as well. */
export function readPolicy(options: OptionReader<PolicyKey>, base: Policy): Policy {
  return {
    retry: readRetry(options, base.retry),
    timeout: options.read('timeout', unlimitedOr(timeLimit), base.timeout),
    onTimeout: options.read('onTimeout', oneOf(['permanent', 'retryable']), base.onTimeout),
    poison: options.read('poison', oneOf(['turns', 'deliveries']), base.poison),
  }
}

function readRetry(options: OptionReader<PolicyKey>, base: RetryPolicy): RetryPolicy {
  const retry = options.nested('retry', ['immediate', 'delayed'])
  const delayed = retry.nested('delayed', ['retries', 'backoff'])
  if (options.has('maxDeliveryCount') && delayed.has('retries')) throw saidTwice(options, delayed)
  const turns = options.read('maxDeliveryCount', wholeNumber({ min: 1, max: mostRetries + 1 }), 1 + base.delayed.retries)
  return {
    immediate: retry.read('immediate', wholeNumber({ min: 0, max: mostImmediate }), base.immediate),
    delayed: {
      retries: delayed.read('retries', retries, turns - 1),
      backoff: readBackoff(delayed.nested('backoff', ['kind', 'first', 'max', 'factor', 'jitter']), base.delayed.backoff),
    },
  }
}

function readBackoff(options: OptionReader<keyof Backoff>, base: Backoff): Backoff {
  // A limit that is given alone pulls the default start down with it, and a start that is given alone pushes the default limit up.
  const first = options.read('first', delay, Math.min(base.first, options.read('max', delay, base.max)))
  const max = options.read('max', delay, Math.max(base.max, first))
  if (max < first) throw badOption(options.where('max'), max, `at least ${options.where('first')}, which is ${first} ms`)
  return {
    kind: options.read('kind', oneOf(['fixed', 'linear', 'exponential']), base.kind),
    first,
    max,
    factor: options.read('factor', numberWithin({ min: 1, max: 100 }), base.factor),
    jitter: options.read('jitter', numberWithin({ min: 0, max: 1 }), base.jitter),
  }
}

function unlimitedOr(check: Check<number>): Check<number> {
  return (value, where) => (value === Number.POSITIVE_INFINITY ? value : check(value, where))
}

function saidTwice(options: OptionReader<PolicyKey>, delayed: OptionReader<'retries'>): RedriveError {
  const [count, more] = [options.where('maxDeliveryCount'), delayed.where('retries')]
  return new RedriveError(
    'bad-option',
    `${count} and ${more} say the same thing in two words, and only one may be given: maxDeliveryCount 3 is retries 2.`,
  )
}

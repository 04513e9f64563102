import { type ClassifyOptions, resolveClassifyRules } from '../core/classify-rules.ts'
import { type DialectName, dialectWriters } from '../core/dialects/writers.ts'
import type { Duration } from '../core/duration.ts'
import { RedriveError } from '../core/errors.ts'
import type { Message } from '../core/message.ts'
import { aFunction, durationWithin, flag, numberWithin, oneOf, sizeWithin, text, wholeNumber } from '../core/option-checks.ts'
import { badOption, type Check, type OptionReader, readInnerOptions, readOptions } from '../core/options.ts'
import { defaultPolicy, type Policy } from '../core/policy.ts'
import { type PolicyOptions, policyKeys, readPolicy } from '../core/policy-options.ts'
import type { Size } from '../core/size.ts'
import type { Transport } from '../transports/seam.ts'
import { type BreakerSettings, defaultBreaker } from './breaker.ts'
import type { DeadLetterAnswer } from './events.ts'
import type { SpoolSettings } from './spool/spool.ts'

/** How one channel is consumed, as users write it. The policy options are the defaults of its handlers. */
export interface ChannelOptions extends PolicyOptions {
  /** Where failed messages go. `'none'` must be written out: then they are warned about and completed. */
  readonly deadLetter?: string
  /** Where messages go that do not decode or are not valid; without it they go to the dead-letter channel. */
  readonly invalid?: string
  /** Handlers that run at one time. */
  readonly concurrency?: number
  /** Deliveries that may be in hand at one time, the running ones included. */
  readonly prefetch?: number
  /** The consumer group or subscription, where the broker has them. */
  readonly group?: string
  /** For how long a delivery is locked before it is renewed. */
  readonly hold?: Duration
  /** For how long a delivery may be kept at all: by a handler that ignores its signal, or by a dead-letter channel that is down. */
  readonly maxHold?: Duration
  readonly onStuck?: 'exit' | 'overlap'
  /** What happens when a letter cannot be written. */
  readonly onDeadLetterFailure?: 'hold' | 'drop' | SpoolOptions
  /** Deliveries that may wait for the dead-letter channel before the channel pauses. */
  readonly maxHeld?: number
  /** With `onDeadLetterFailure: 'drop'`: whether the log line holds the body. */
  readonly logBody?: boolean
  /** `native` lets the broker dead-letter by itself, where it can; then it may not carry the failure. */
  readonly deadLettering?: 'annotated' | 'native'
  readonly dialect?: DialectName
  /** The most that the headers of a letter may take. */
  readonly headerBudget?: Size
  readonly stackTraces?: boolean
  /** `lane`: the broker keeps messages of one key in order. `per-process`: only this process does. `none`: nobody does. */
  readonly order?: 'lane' | 'per-process' | 'none'
  /** What becomes of a message whose type nobody handles. */
  readonly unknownType?: 'invalid' | 'dead-letter' | 'discard'
  /** Finds the type of foreign messages, which do not carry ours. */
  readonly resolveType?: (message: Message) => string | undefined
  /** Messages older than this expire into the dead-letter channel. */
  readonly ttl?: Duration
  /** What errors mean: which are worth another try and which are not. */
  readonly classify?: ClassifyOptions
  /** When to take failures for an outage, and pause the channel instead of dead-lettering everything; `false` for never. */
  readonly breaker?: BreakerOptions | false
}

export interface BreakerOptions {
  /** How many outcomes are looked at: messages that succeed, and messages that fail for the first time. */
  readonly runs?: number
  /** The share of them that must have failed in a way that another try may mend. */
  readonly share?: number
  /** All of them must have been handled within this time. */
  readonly window?: Duration
  /** When the first message is let through; the pause doubles after each failure. */
  readonly probeAfter?: Duration
  readonly probeAtMost?: Duration
  /** For how long failures during an outage cost no attempt. */
  readonly pardon?: Duration
}

export interface SpoolOptions {
  /** A folder on a disk that outlives the process. It must exist. */
  readonly spool: string
  /** What the waiting letters of one process may take on the disk; beyond it, messages are held. */
  readonly maxSize?: Size
  /** Letters a second that are sent once the channel is back. */
  readonly drainRate?: number
}

/** The same, complete and checked. Durations are milliseconds, sizes are bytes. */
export interface ChannelSettings {
  readonly name: string
  readonly policy: Policy
  /** `undefined` means that the user wrote `'none'`. */
  readonly deadLetter: string | undefined
  readonly invalid: string | undefined
  readonly concurrency: number
  readonly prefetch: number
  /** Otherwise it is what the handlers need. */
  readonly isPrefetchGiven: boolean
  readonly group: string | undefined
  readonly hold: number
  readonly maxHold: number
  readonly onStuck: 'exit' | 'overlap'
  readonly onDeadLetterFailure: DeadLetterAnswer
  /** Only where the answer is `spool`. */
  readonly spool: SpoolSettings | undefined
  readonly maxHeld: number
  readonly logBody: boolean
  readonly deadLettering: 'annotated' | 'native'
  readonly dialect: DialectName
  readonly headerBudget: number
  readonly stackTraces: boolean
  readonly order: 'lane' | 'per-process' | 'none' | undefined
  readonly unknownType: 'invalid' | 'dead-letter' | 'discard'
  readonly resolveType: ((message: Message) => string | undefined) | undefined
  readonly ttl: number | undefined
  readonly classify: ClassifyOptions | undefined
  /** `undefined` means that the user wrote `false`. */
  readonly breaker: BreakerSettings | undefined
}

const ownKeys = [
  'deadLetter',
  'invalid',
  'concurrency',
  'prefetch',
  'group',
  'hold',
  'maxHold',
  'onStuck',
  'onDeadLetterFailure',
  'maxHeld',
  'logBody',
  'deadLettering',
  'dialect',
  'headerBudget',
  'stackTraces',
  'order',
  'unknownType',
  'resolveType',
  'ttl',
  'classify',
  'breaker',
] as const

export const channelName: Check<string> = text(255)
const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, where) =>
    check(value, where)

/** What is the custom of the broker: where dead letters go when nobody says, and what it keeps for itself. */
export interface Customs {
  readonly deadLetter?: string | undefined
  readonly brokersOwn?: Transport['brokersOwn'] | undefined
}

export function resolveChannel(name: string, options: ChannelOptions | undefined, customs: Customs = {}): ChannelSettings {
  const where = `channel ${JSON.stringify(name)}`
  channelName(name, 'channel name')
  const given = readOptions(options, [...policyKeys, ...ownKeys], where)
  const concurrency = given.read('concurrency', wholeNumber({ min: 1, max: 10_000 }), 10)
  const deadLetter = readDeadLetter(given, where, customs.deadLetter)
  const isBrokersOwn = deadLetter !== undefined && (customs.brokersOwn?.(deadLetter) ?? false)
  const settings: ChannelSettings = {
    name,
    policy: readPolicy(given, defaultPolicy),
    deadLetter,
    invalid: given.read('invalid', optional(channelName), undefined),
    concurrency,
    prefetch: given.read('prefetch', wholeNumber({ min: 1, max: 100_000 }), Math.max(16, concurrency * 2)),
    isPrefetchGiven: given.has('prefetch'),
    group: given.read('group', optional(channelName), undefined),
    hold: given.read('hold', durationWithin({ min: '100ms', max: '12h' }), 30_000),
    maxHold: given.read('maxHold', durationWithin({ min: '1s', max: '12h' }), 15 * 60_000),
    onStuck: given.read('onStuck', oneOf(['exit', 'overlap']), 'exit'),
    ...given.read('onDeadLetterFailure', aDeadLetterAnswer, { onDeadLetterFailure: 'hold', spool: undefined }),
    maxHeld: given.read('maxHeld', wholeNumber({ min: 1, max: 100_000 }), 100),
    logBody: given.read('logBody', flag, false),
    deadLettering: given.read(
      'deadLettering',
      isBrokersOwn ? onlyNative : oneOf(['annotated', 'native']),
      isBrokersOwn ? 'native' : 'annotated',
    ),
    dialect: given.read('dialect', oneOf(Object.keys(dialectWriters) as DialectName[]), 'redrive'),
    headerBudget: given.read('headerBudget', sizeWithin({ min: '1KiB', max: '1MiB' }), 16 * 1024),
    stackTraces: given.read('stackTraces', flag, false),
    order: given.read('order', optional(oneOf(['lane', 'per-process', 'none'])), undefined),
    unknownType: given.read('unknownType', oneOf(['invalid', 'dead-letter', 'discard']), 'invalid'),
    resolveType: given.read('resolveType', aFunction<ChannelSettings['resolveType']>, undefined),
    ttl: given.read('ttl', optional(durationWithin({ min: '1s', max: '365d' })), undefined),
    classify: options?.classify,
    breaker: given.read('breaker', aBreaker, defaultBreaker),
  }
  checkGraves(settings, where)
  // Each handler has its own rules, because its timeout is among them; what is wrong with them is said here and now.
  resolveClassifyRules(settings.classify, settings.policy.onTimeout, `${where}: classify`)
  return settings
}

const onlyNative: Check<'native'> = (value, where) => {
  if (value === 'native') return value
  throw badOption(where, value, '"native", because only the broker itself writes to that dead-letter channel')
}

const holdOrDrop = oneOf(['hold', 'drop'])
const aFolder = text(4096)
const spoolSize = sizeWithin({ min: '1MiB', max: '1024GiB' })

function aDeadLetterAnswer(value: unknown, where: string): Pick<ChannelSettings, 'onDeadLetterFailure' | 'spool'> {
  if (typeof value !== 'object') return { onDeadLetterFailure: holdOrDrop(value, where), spool: undefined }
  const given = readInnerOptions(value, ['spool', 'maxSize', 'drainRate'], where)
  const spool = {
    path: given.required('spool', aFolder),
    maxBytes: given.read('maxSize', spoolSize, 1024 ** 3),
    drainRate: given.read('drainRate', wholeNumber({ min: 1, max: 100_000 }), 500),
  }
  return { onDeadLetterFailure: 'spool', spool }
}

const breakerKeys = ['runs', 'share', 'window', 'probeAfter', 'probeAtMost', 'pardon'] as const

function aBreaker(value: unknown, where: string): BreakerSettings | undefined {
  if (value === false) return undefined
  const given = readInnerOptions(value, breakerKeys, where)
  return {
    runs: given.read('runs', wholeNumber({ min: 2, max: 10_000 }), defaultBreaker.runs),
    share: given.read('share', numberWithin({ min: 0.01, max: 1 }), defaultBreaker.share),
    window: given.read('window', durationWithin({ min: '1s', max: '1h' }), defaultBreaker.window),
    probeAfter: given.read('probeAfter', durationWithin({ min: '10ms', max: '1h' }), defaultBreaker.probeAfter),
    probeAtMost: given.read('probeAtMost', durationWithin({ min: '10ms', max: '1h' }), defaultBreaker.probeAtMost),
    pardon: given.read('pardon', durationWithin({ min: '0ms', max: '365d' }), defaultBreaker.pardon),
  }
}

function readDeadLetter(given: OptionReader<'deadLetter'>, where: string, customary: string | undefined): string | undefined {
  if (!given.has('deadLetter')) {
    if (customary !== undefined) return customary
    throw new RedriveError(
      'bad-topology',
      `${where}: deadLetter is missing, so a failing message would have nowhere to go. Name a channel, or write deadLetter: 'none' if failing messages may be dropped.`,
    )
  }
  const name = given.required('deadLetter', channelName)
  return name === 'none' ? undefined : name
}

/** A channel that is its own grave would be an endless loop. */
function checkGraves({ name, deadLetter, invalid }: ChannelSettings, where: string): void {
  if (deadLetter === name) throw badOption(`${where}: deadLetter`, deadLetter, 'another channel than the one that is consumed')
  if (invalid === name) throw badOption(`${where}: invalid`, invalid, 'another channel than the one that is consumed')
}

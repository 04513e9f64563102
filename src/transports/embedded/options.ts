import { resolve } from 'node:path'
import type { Duration } from '../../core/duration.ts'
import { aFunction, durationWithin, objectWith, oneOf, sizeWithin, text } from '../../core/option-checks.ts'
import { readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs } from '../../core/ports.ts'
import type { Size } from '../../core/size.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxBody } from './capabilities.ts'

export interface EmbeddedOptions {
  /** The database file. It is made when it does not exist; its folder must. */
  readonly file: string
  /** Default: 16 MiB. */
  readonly maxBody?: Size
  /** How often a waiting receiver looks whether another process wrote something. Default: 25 ms. */
  readonly pollEvery?: Duration
  /** How often old messages expire and old deduplication ids are forgotten. Default: 5 s. */
  readonly sweepEvery?: Duration
  /** How long a write waits while another process writes, before it is refused. Default: 10 s. */
  readonly busyTimeout?: Duration
  /**
   * `full` (the default): what was acknowledged survives a power failure. `normal` survives only a crash of the process and
   * loses acknowledged messages when the power fails; it exists for tests and for data that may be lost.
   */
  readonly durability?: 'full' | 'normal'
  /** Default: the real one. Leases are times on this clock, so all processes that share a file must share one machine. */
  readonly clock?: Clock
  /** Told after every commit how many requests shared it. */
  readonly onCommit?: (requests: number) => void
}

/** The same, complete and checked. Durations are milliseconds, sizes are bytes, the file is an absolute path. */
export interface EmbeddedSettings {
  readonly file: string
  readonly maxBody: number
  readonly pollEvery: number
  readonly sweepEvery: number
  readonly busyTimeout: number
  readonly durability: 'full' | 'normal'
  readonly clock: Clock
  readonly onCommit: (requests: number) => void
}

const keys = ['file', 'maxBody', 'pollEvery', 'sweepEvery', 'busyTimeout', 'durability', 'clock', 'onCommit'] as const

export function resolveOptions(options: EmbeddedOptions): EmbeddedSettings {
  const given = readOptions(options, keys, 'embedded')
  return {
    file: resolve(given.required('file', text(4096))),
    maxBody: given.read('maxBody', sizeWithin({ min: '1B', max: '512MiB' }), defaultMaxBody),
    pollEvery: given.read('pollEvery', durationWithin({ min: '1ms', max: '1m' }), 25),
    sweepEvery: given.read('sweepEvery', durationWithin({ min: '1ms', max: '1h' }), 5_000),
    busyTimeout: given.read('busyTimeout', durationWithin({ min: '0ms', max: '10m' }), 10_000),
    durability: given.read('durability', oneOf(['full', 'normal']), 'full'),
    clock: given.read('clock', objectWith<Clock>(clockVerbs, 'a clock'), systemClock),
    onCommit: given.read('onCommit', aFunction<EmbeddedSettings['onCommit']>, () => {}),
  }
}

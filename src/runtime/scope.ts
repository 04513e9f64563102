import type { Graves } from '../core/decision.ts'
import type { LoopWatch } from '../core/ports.ts'
import type { Transport } from '../transports/seam.ts'
import type { Breaker } from './breaker.ts'
import type { ChannelSettings } from './channel-options.ts'
import type { FetchBody } from './claim-check.ts'
import type { Events } from './events.ts'
import type { Logger } from './logger.ts'
import type { Platform } from './platform.ts'
import type { Reporter } from './reporting/reporter.ts'
import type { Spool } from './spool/spool.ts'
import type { ChannelStats } from './stats.ts'
import type { Tracing } from './tracing.ts'

/** What everything that works on one channel shares. */
export interface ChannelScope {
  readonly settings: ChannelSettings
  readonly transport: Transport
  readonly platform: Platform
  readonly events: Events
  readonly stats: ChannelStats
  readonly logger: Logger
  /** Absent when no OpenTelemetry SDK is registered: then a message costs nothing for it. */
  readonly tracing: Tracing | undefined
  /** Only with a watchdog. */
  readonly watch: LoopWatch | undefined
  readonly graves: Graves
  /** Whether the broker keeps messages of one key in order here, and we do as well. */
  readonly inOrder: boolean
  /** Absent with `breaker: false`. */
  readonly breaker: Breaker | undefined
  /** Only with `onDeadLetterFailure: { spool }`. */
  readonly spool: Spool | undefined
  readonly consumer: ConsumerIdentity
  readonly fetchBody: FetchBody
  /** Only with a control plane. */
  readonly reporter: Reporter | undefined
}

export interface ConsumerIdentity {
  readonly service: string
  readonly version: string | undefined
  readonly environment: string
}

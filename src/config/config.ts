import type { GroupTimers } from '../core/alerts/grouping.ts'
import type { MaintenanceWindow } from '../core/alerts/maintenance-window.ts'
import type { Rule } from '../core/alerts/rule.ts'
import type { BodyChecks } from '../core/body-check.ts'
import type { NotifierType } from '../notifiers/kinds.ts'
import type { OidcLogin } from '../oidc/oidc-login.ts'
import type { OtlpTarget } from '../outgoing/otlp-target.ts'
import type { VaultKeys } from '../platform/vault-key.ts'

/** A configuration that has been checked: all paths are absolute, all durations milliseconds, and everything that has a default has a value. */
export interface Config {
  /** The database file of the vault, or the url of its server. */
  readonly vault: string
  /** What contents of letters are sealed with; absent where they are kept in clear. */
  readonly encryption?: VaultKeys
  readonly server: ServerConfig
  readonly connections: ReadonlyMap<string, ConnectionConfig>
  readonly sources: readonly SourceConfig[]
  readonly retention: VaultRetentionConfig
  readonly mask: MaskConfig
  readonly replays: ReplaysConfig
  /** What is done by itself with letters as they come. */
  readonly triage: readonly TriageConfig[]
  /** All that are in force. */
  readonly rules: readonly Rule[]
  readonly maintenance: readonly MaintenanceWindow[]
  readonly notifiers: ReadonlyMap<string, NotifierConfig>
  readonly alerting: AlertingConfig
  /** Who is told what is counted. */
  readonly otlp?: OtlpTarget
  readonly login: LoginConfig
}

export interface LoginConfig {
  /** Whether passwords let anybody in. */
  readonly passwords: boolean
  readonly oidc?: OidcLogin
}

export interface AlertingConfig {
  readonly timers: GroupTimers
  /** The name of this machine is nobody's business. */
  readonly redactHosts: boolean
}

export interface ServerConfig {
  readonly host: string
  readonly port: number
  /** Somebody in front of the server speaks TLS, and tells who asks. */
  readonly behindProxy: boolean
  readonly tls?: { readonly cert: string; readonly key: string }
  /** The address that browsers see, without a slash at its end. */
  readonly publicUrl?: string
  readonly session: { readonly idle: number; readonly absolute: number }
}

export interface ConnectionConfig {
  readonly transport: string
  /** The options of the transport, which has checked them. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface NotifierConfig {
  readonly type: NotifierType
  /** The options of that type, which have been checked. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface SourceConfig {
  readonly connection: string
  readonly channel: string
  readonly part?: 'dead-letter'
  readonly group?: string
  readonly mode: SourceMode
  /** Where replays go when the letter does not say where it came from. */
  readonly returnTo?: ReturnRoute
  /** Of this source alone, complete: what it does not say itself is as for all sources. */
  readonly retention?: RetentionConfig
  /** Whether letters can be found by words in their bodies. */
  readonly searchBodies?: boolean
  /** How often its letters are counted. */
  readonly probeEvery?: number
  /** What edited bodies are compared with, by the type of the message. */
  readonly schemas?: BodyChecks
}

/** `watch` only counts; `follow` copies letters and leaves them on the broker; `collect` takes them over. */
export type SourceMode = 'watch' | 'follow' | 'collect'

export interface ReturnRoute {
  readonly connection: string
  readonly channel: string
  readonly group?: string
}

/** Milliseconds; absent for ever. */
export interface RetentionConfig {
  /** After a letter was settled: replayed, discarded. */
  readonly letters?: number
  /** Of letters that nobody has settled. */
  readonly open?: number
  /** The most letters that are kept; of those that are settled, the oldest go first. */
  readonly count?: number
}

export interface VaultRetentionConfig extends RetentionConfig {
  /** After a replay ended. */
  readonly replays?: number
}

export interface ReplaysConfig {
  /** Replays of more letters are started by a second person; absent: by anybody who may start one. */
  readonly needsSecondPersonAbove?: number
}

/** What is done by itself with letters that a filter finds. */
export interface TriageConfig {
  readonly name: string
  readonly filter: string
  readonly assign?: string
  readonly discard?: boolean
  readonly replayOnRecovery?: RecoveryConfig
}

/** How letters are sent back when the channel works again that they died on. */
export interface RecoveryConfig {
  /** Letters a second. */
  readonly rate: number
  readonly canary: { readonly first: number; readonly growth: number; readonly tolerated: number }
  /** Milliseconds. */
  readonly observe: number
}

export interface MaskConfig {
  /** Beside those that are always masked. */
  readonly headers: readonly string[]
  readonly paths: readonly string[]
}

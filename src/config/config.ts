/** A configuration that has been checked: all paths are absolute, all durations milliseconds, and everything that has a default has a value. */
export interface Config {
  /** The database file of the vault. */
  readonly vault: string
  readonly server: ServerConfig
  readonly connections: ReadonlyMap<string, ConnectionConfig>
  readonly sources: readonly SourceConfig[]
  readonly retention: RetentionConfig
  readonly mask: MaskConfig
}

export interface ServerConfig {
  readonly host: string
  readonly port: number
  /** Somebody in front of the server speaks TLS, and tells who asks. */
  readonly behindProxy: boolean
  readonly tls?: { readonly cert: string; readonly key: string }
}

export interface ConnectionConfig {
  readonly transport: string
  /** The options of the transport, which has checked them. */
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
  readonly audit?: number
  /** The most letters that are kept; of those that are settled, the oldest go first. */
  readonly count?: number
}

export interface MaskConfig {
  /** Beside those that are always masked. */
  readonly headers: readonly string[]
  readonly paths: readonly string[]
}

import type { Command } from './process.ts'

export type BrokerName =
  | 'rabbitmq'
  | 'kafka'
  | 'postgres'
  | 'redis'
  | 'elasticmq'
  | 'servicebus'
  | 'rocketmq'
  | 'prometheus'
  | 'alertmanager'

/** How one broker is got and run. A recipe starts nothing itself. */
export interface Recipe {
  readonly name: BrokerName
  /** The variable that holds the URL of a broker that somebody else runs. */
  readonly urlVariable: string
  /** The first one is what you get when you do not ask for a version. */
  readonly versions: readonly string[]
  /** Gets what is missing; does nothing when it is there. */
  install(version: string): Promise<void>
  /** Where that version is on this machine: on PATH first, then in the cache; `undefined` when it is nowhere. */
  find(version: string): Installation | undefined
}

export interface Installation {
  readonly version: string
  readonly ports: number
  /**
   * Writes configuration into the folder and says what to run. Called once; a restart runs the same commands again. `settings` are
   * lines of configuration in the broker's own words, which follow ours; `plugins` are those that are needed beside the usual ones.
   */
  prepare(folder: string, ports: readonly number[], settings: readonly string[], plugins: readonly string[]): Promise<Prepared>
}

export interface Prepared {
  /** Started in this order; all of them are killed, frozen and restarted together. */
  readonly commands: readonly Command[]
  readonly url: string
  /** Where the broker has an HTTP API beside its protocol. */
  readonly managementUrl?: string
  /** The broker's own command line, where it has one that is needed. */
  control?(args: readonly string[]): Command
  /** Talks the broker's own protocol. */
  ready(): Promise<boolean>
}

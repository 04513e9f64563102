import type { Clock } from '../core/ports.ts'
import type { Sink } from './sink.ts'

/** Makes a sink of the options that stand below its name in the configuration. Throws a `RedriveError` about the first option that is wrong. */
export type SinkMaker = (name: string, options: Readonly<Record<string, unknown>>, ports: { readonly clock: Clock }) => Sink

import type { Subject } from '../../core/alerts/identity.ts'
import type { Counters, Evidence, Values } from '../../core/alerts/sample.ts'

/** A look at something, without its time: the engine says when it heard of it. */
export type Report = {
  readonly subject: Subject
  readonly evidence?: Evidence
  readonly counters?: Counters
  readonly unread?: string
} & ({ readonly values: Values; readonly failed?: undefined } | { readonly failed: string; readonly values?: undefined })

/** Whoever looks at something regularly. Rejects when it cannot; the others are asked all the same. */
export type Sampler = () => Promise<readonly Report[]>

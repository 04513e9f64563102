import type { SourceName } from '../../vault/operations/sources.ts'

/** Of several control planes on a vault: whether this one works, who does, and who collects what. One that is alone does all of it. */
export interface Duty {
  /** What people know this one by. */
  readonly instance: string
  readonly works: boolean
  /** Nobody for some seconds, after one was killed. */
  readonly worker: OnDuty | null
  /** Every source that this one knows and that is read. */
  readonly sources: readonly CollectedSource[]
}

export interface OnDuty {
  readonly name: string
  readonly since: number
}

export interface CollectedSource extends SourceName {
  /** Nobody for some seconds, after one was killed, or while it changes hands. */
  readonly collector: OnDuty | null
}

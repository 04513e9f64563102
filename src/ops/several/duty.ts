import { packageVersion } from '../../platform/package-version.ts'
import type { SourceName } from '../../vault/operations/sources.ts'
import { vaultSchema } from '../../vault/schema.ts'
import type { Present } from '../../vault/turns.ts'

/** Of several control planes on a vault: whether this one works, who does, and who collects what. One that is alone does all of it. */
export interface Duty {
  /** What people know this one by. */
  readonly instance: string
  readonly works: boolean
  /** Nobody for some seconds, after one was killed. */
  readonly worker: OnDuty | null
  /** Every source that this one knows and that is read. */
  readonly sources: readonly CollectedSource[]
  /** Everybody who has the vault, with their versions: while one is replaced by another, some are older. */
  readonly instances: readonly Present[]
}

export interface OnDuty {
  readonly name: string
  readonly since: number
}

export interface CollectedSource extends SourceName {
  /** Nobody for some seconds, after one was killed, or while it changes hands. */
  readonly collector: OnDuty | null
}

/** Nobody else has its vault. */
export function dutyAlone(name: string, since: number, read: readonly SourceName[]): Duty {
  const worker = { name, since }
  const instances = [{ name, since, release: packageVersion(), knows: vaultSchema.versions.length }]
  const sources = read.map((source) => ({ ...source, collector: worker }))
  return { instance: name, works: true, worker, sources, instances }
}

import { packageVersion } from '../../platform/package-version.ts'
import { vaultSchema } from '../../vault/schema.ts'
import type { Present } from '../../vault/turns.ts'

/** Of several control planes on a vault: whether this one works, and who does. One that is alone always works. */
export interface Duty {
  /** What people know this one by. */
  readonly instance: string
  readonly works: boolean
  /** Nobody for some seconds, after one was killed. */
  readonly worker: { readonly name: string; readonly since: number } | null
  /** Everybody who has the vault, with their versions: while one is replaced by another, some are older. */
  readonly instances: readonly Present[]
}

/** Nobody else has its vault. */
export function dutyAlone(name: string, since: number): Duty {
  const instances = [{ name, since, release: packageVersion(), knows: vaultSchema.versions.length }]
  return { instance: name, works: true, worker: { name, since }, instances }
}

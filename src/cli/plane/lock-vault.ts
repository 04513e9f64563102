import { RedriveError } from '../../core/errors.ts'
import { systemFiles } from '../../platform/files.ts'

/** Two that run replays on one file would each take the other's sends for those of a dead one. The lock ends with its process. */
export async function lockVault(vault: string): Promise<() => Promise<void>> {
  const unlock = await systemFiles.lock(`${vault}.lock`)
  if (unlock) return async () => unlock()
  throw new RedriveError(
    'conflict',
    `A control plane runs on ${vault}. Ask it with --server, stop it first, or use a vault of your own.`,
  )
}

import { RedriveError } from '../../core/errors.ts'
import { systemFiles } from '../../platform/files.ts'

/** Two that run replays on one file would each take the other's sends for those of a dead one. */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const unlock = await systemFiles.lock(`${file}.lock`)
  if (unlock) return async () => unlock()
  throw new RedriveError(
    'conflict',
    `A control plane runs on ${file}. Ask it with --server, stop it first, or use a vault of your own.`,
  )
}

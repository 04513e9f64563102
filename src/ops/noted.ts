import type { Clock } from '../core/ports.ts'
import type { AuditEntry } from '../vault/operations/audit.ts'
import type { Vault } from '../vault/vault.ts'

/** Does something between two notes in the audit trail. What cannot be noted is not done; `attempted` alone means that the process died. */
export async function noted<Result>(
  vault: Vault,
  clock: Clock,
  entry: Omit<AuditEntry, 'at' | 'result'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const note = (result: AuditEntry['result']): Promise<unknown> =>
    vault.write('appendAudit', { ...entry, at: clock.now(), result })
  await note('attempted')
  let value: Result
  try {
    value = await work()
  } catch (error) {
    await note('failed')
    throw error
  }
  await note('done')
  return value
}

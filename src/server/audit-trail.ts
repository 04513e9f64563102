import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { visible } from '../core/visible.ts'
import type { AuditResult } from '../vault/operations/audit.ts'
import type { Vault } from '../vault/vault.ts'
import { shortenedDetail } from './shortened-detail.ts'

export interface Noted {
  readonly actor: string
  readonly address: string
  readonly action: string
  readonly object: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly result: AuditResult
}

export interface AuditTrail {
  /** Rejects with `audit-failed` when it could not be written: whoever asked must not go on then. */
  note(noted: Noted): Promise<void>
  /** For what has happened already, and cannot be undone by refusing it: a failure is told to the operator instead. */
  noteAfterwards(noted: Noted): Promise<void>
}

/** More than any honest request has. */
const longestDetail = 4000

export function createAuditTrail(vault: Vault, clock: Clock, onProblem: (problem: unknown) => void): AuditTrail {
  async function note({ detail = {}, ...noted }: Noted): Promise<void> {
    const text = JSON.stringify(detail)
    try {
      await vault.write('appendAudit', {
        ...noted,
        at: clock.now(),
        object: visible(noted.object),
        detail: text.length > longestDetail ? JSON.stringify(shortenedDetail(detail)) : text,
      })
    } catch (cause) {
      throw new RedriveError('audit-failed', 'The audit trail cannot be written. Nothing was done.', { cause })
    }
  }

  return { note, noteAfterwards: (noted) => note(noted).catch(onProblem) }
}

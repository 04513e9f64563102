import type { Clock } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'

export interface RecordRules {
  /** How long a replay is kept after it ended, with what became of each of its letters. Milliseconds; absent for ever. */
  readonly replays?: number
}

const [hour, day] = [3_600_000, 24 * 3_600_000]

/** How long what is over can still be looked at. Of the audit trail nothing is ever removed. Milliseconds. */
const kept = { causeHours: 400 * day, alerts: 90 * day, tokens: 90 * day, sessions: 30 * day } as const

const atOnce = 1000

/** Takes away what stands about letters, alerts and people that are gone, in short transactions. */
export async function forgetRecords({ replays }: RecordRules, vault: Vault, clock: Clock): Promise<void> {
  const now = clock.now()
  if (replays !== undefined) await untilOver(() => vault.write('forgetReplays', { before: now - replays, limit: atOnce }))
  const engine = await vault.read('engineState', undefined)
  const alertsBefore = (engine?.at ?? 0) - kept.alerts
  const before = {
    tombstones: now,
    causeHours: Math.floor((now - kept.causeHours) / hour),
    deadDeliveries: now - kept.alerts,
    tokens: now - kept.tokens,
    sessions: now - kept.sessions,
    links: now,
    silences: alertsBefore,
    marks: alertsBefore,
  }
  await untilOver(() => vault.write('forgetOld', { before, limit: atOnce }))
}

async function untilOver(step: () => Promise<{ readonly isOver: boolean }>): Promise<void> {
  for (let isOver = false; !isOver; ) ({ isOver } = await step())
}

import type { Clock } from '../../core/ports.ts'
import type { Holdings } from './holdings.ts'
import type { Hold } from './protocol.ts'
import { type Repeating, repeating } from './repeating.ts'

/** How long after its end a lease is asked about. Whoever took it over in this process has said so already. */
const auditEvery = 500

/** Notices holds that others took over. `lost` tells which of these are no longer ours. */
export function createAudit(clock: Clock, holdings: Holdings, lost: (holds: Hold[]) => Promise<readonly Hold[]>): Repeating {
  return repeating(clock, auditEvery, async () => {
    const now = clock.now()
    const overdue = holdings.all().filter((held) => held.until <= now)
    if (overdue.length === 0) return
    const answer = await lost(overdue.map((held) => held.hold)).catch(() => [])
    const isLost = new Set(answer.map(({ id }) => id))
    // Given back unseen and claimed again meanwhile, a message has the same hold and is ours: what was asked about was the one before.
    for (const held of overdue) if (isLost.has(held.hold.id) && holdings.find(held.hold) === held) holdings.lose(held)
  })
}

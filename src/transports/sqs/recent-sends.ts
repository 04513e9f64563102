import type { Clock } from '../../core/ports.ts'

/**
 * SQS does not say that it recognised a deduplication id: it answers with the id of the message that it has. Whoever sent that one from this
 * process is told so; of a send by somebody else nothing is known.
 */
export interface RecentSends {
  /** Whether this name was sent before and got the same answer. Remembers it. */
  isKnown(name: string, position: string): boolean
}

const most = 10_000

export function createRecentSends(clock: Pick<Clock, 'monotonic'>, window: number): RecentSends {
  const sent = new Map<string, { readonly position: string; readonly at: number }>()
  return {
    isKnown(name, position) {
      const now = clock.monotonic()
      for (const [oldest, { at }] of sent) {
        if (at + window > now && sent.size < most) break
        sent.delete(oldest)
      }
      if (sent.get(name)?.position === position) return true
      sent.delete(name)
      sent.set(name, { position, at: now })
      return false
    },
  }
}

import type { Clock } from '../../core/ports.ts'

/** Remembers the ids of sends for a while. */
export interface DedupWindow {
  /** Where the message of this id stands, if it was sent within the window. */
  find(id: string): string | undefined
  remember(id: string, position: string): void
}

export function dedupWindow(clock: Clock, window: number): DedupWindow {
  /** In the order of sending, so the oldest are always in front. */
  const sent = new Map<string, { readonly position: string; readonly until: number }>()

  function forgetOld(): void {
    const now = clock.monotonic()
    for (const [id, { until }] of sent) {
      if (until > now) return
      sent.delete(id)
    }
  }

  return {
    find(id) {
      forgetOld()
      return sent.get(id)?.position
    },
    remember: (id, position) => void sent.set(id, { position, until: clock.monotonic() + window }),
  }
}

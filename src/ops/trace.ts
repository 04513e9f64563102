import type { Vault } from '../vault/vault.ts'
import type { TraceEvent } from './control-plane.ts'

const most = 1000

/** One timeline of everything that happened under a correlation id. */
export async function traceOf(correlationId: string, vault: Vault): Promise<readonly TraceEvent[]> {
  const { letters, replays, notes } = await vault.read('traceCorrelation', { correlationId, limit: most })
  const events: TraceEvent[] = [
    ...letters.map((letter) => ({ kind: 'failed' as const, at: letter.failedAt, letter })),
    ...replays.map((line) => ({ kind: 'replayed' as const, ...line })),
    ...notes.map(({ letter, ...note }) => ({ kind: 'note' as const, at: note.madeAt, letter, note })),
  ]
  return events.sort((one, other) => one.at - other.at)
}

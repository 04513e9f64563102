import { codeOf } from '../core/errors.ts'
import type { Change } from './control-plane.ts'

/** What happens, told to everybody who listens. */
export interface Changes {
  tell(change: Change): void
  onChange(listener: (change: Change) => void): () => void
  /** For who goes on after a failure: tells its code, and nothing that it quotes. */
  problem(source: string): (error: unknown) => void
  close(): void
}

export function createChanges(): Changes {
  const listeners = new Set<(change: Change) => void>()

  function tell(change: Change): void {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch {
        // Whoever listens has a problem of their own; letters and replays go on.
      }
    }
  }

  return {
    tell,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    problem: (source) => (error) => tell({ kind: 'problem', source, code: codeOf(error) }),
    close: () => listeners.clear(),
  }
}

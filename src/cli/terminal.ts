import type { Clock } from '../core/ports.ts'
import { visible } from '../core/visible.ts'

/** What a command may know of the world it was started in. Tests give one of their own. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Relative paths start here. */
  readonly folder: string
  /** What a person types for `redrive` where nothing has that name, as in a clone. */
  readonly startedAs?: string
  readonly clock: Clock
  out(text: string): void
  err(text: string): void
  /** Resolves when whoever reads `out` has kept up: for output that would not fit into memory. */
  readonly drained?: () => Promise<void>
  /** How wide the screen is that `out` goes to; absent where that is a file or a pipe. */
  readonly columns?: number
  /** Puts a question to a person and gives the answer; absent where there is nobody. */
  readonly ask?: (question: string) => Promise<string>
  /** Calls back when a person wants it to end; the result ends that. */
  readonly onInterrupt?: (listener: () => void) => () => void
}

/**
 * Text as it may be shown: names on a broker are anybody's, so what acts on a terminal is written out, and whatever a URL holds
 * before its host may be a password.
 */
export function shown(text: string): string {
  return visible(text).replace(/\/\/[^/\s"'@]*(?:@[^/\s"'@]*)*@/g, '//***@')
}

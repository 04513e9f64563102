import { visible } from '../core/visible.ts'

/** What a command may know of the world it was started in. Tests give one of their own. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Relative paths start here. */
  readonly folder: string
  out(text: string): void
  err(text: string): void
}

/**
 * Text as it may be shown: names on a broker are anybody's, so what acts on a terminal is written out, and whatever a URL holds
 * before its host may be a password.
 */
export function shown(text: string): string {
  return visible(text).replace(/\/\/[^/\s"'@]*(?:@[^/\s"'@]*)*@/g, '//***@')
}

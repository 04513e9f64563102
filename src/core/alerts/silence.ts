import { RedriveError } from '../errors.ts'
import { fits, type Matched, type Matcher } from './matcher.ts'

/** Somebody wants to hear nothing about some alerts for a time. The alerts go on as before; only people are not told. */
export interface Silence {
  readonly matchers: readonly Matcher[]
  /** The engine's own time, so that a clock that is put back makes no silence longer. */
  readonly starts: number
  readonly ends: number
  /** Even for what must not be missed by accident. */
  readonly evenProtected: boolean
}

/** Longer ones are extended by somebody who has looked again. */
const longestSilence: number = 7 * 24 * 3_600_000

export function silences({ matchers, starts, ends, evenProtected }: Silence, alert: Matched, now: number): boolean {
  return starts <= now && now < ends && (evenProtected || !isProtected(alert)) && fits(matchers, alert)
}

/** Letters are being lost, or soon will be. */
export function isProtected({ type, severity }: Pick<Matched, 'type' | 'severity'>): boolean {
  return type === 'dlq.publish.failed' || (type === 'store.disk' && severity === 'critical')
}

/** What people may ask for. */
export function checkSilence({ matchers, reason, span }: { matchers: readonly Matcher[]; reason: string; span: number }): void {
  if (matchers.length === 0) throw refused('A silence needs at least one matcher, such as queue=dlq.orders.')
  if (reason.trim() === '') throw refused('A silence needs a reason: whoever finds it in a month wants to know why.')
  checkSpan(span)
}

export function checkSpan(span: number): void {
  if (!(span > 0)) throw refused('A silence needs an end that is still to come.')
  if (span > longestSilence) throw refused('A silence lasts at most 7 days. Extend it when they are over.')
}

function refused(why: string): RedriveError {
  return new RedriveError('bad-request', why)
}

import { readMatcher } from '../../../../src/core/alerts/matcher.ts'
import { parseDuration } from '../../../../src/core/duration.ts'
import type { Alert } from '../../api/alerts.ts'
import type { NewSilence, Silence } from '../../api/silences.ts'

type Matcher = Silence['matchers'][number]

/** A silence as it is written: matchers one in each line, as the command line takes them. */
export interface SilenceDraft {
  readonly matchers: string
  readonly lasts: string
  readonly reason: string
  readonly evenProtected: boolean
}

export const emptySilence: SilenceDraft = { matchers: '', lasts: '2h', reason: '', evenProtected: false }

export function matcherText({ name, is, value }: Matcher): string {
  return `${name}${is}${value}`
}

/** What keeps this alert quiet, and the next of its kind about the same thing. */
export function matchersFor({
  rule,
  source,
  queue,
  cause,
}: Pick<Alert, 'rule' | 'source' | 'queue' | 'cause'>): readonly string[] {
  const known: readonly (readonly [name: string, value: string | null])[] = [
    ['rule', rule],
    ['source', source === '' ? null : source],
    ['queue', queue],
    ['cause', cause],
  ]
  return known.flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
}

/** A form that is filled in already, as an address. */
export function searchFor(matchers: readonly string[]): string {
  return new URLSearchParams(matchers.map((matcher) => ['match', matcher])).toString()
}

export function draftFrom(search: string): SilenceDraft | undefined {
  const matchers = new URLSearchParams(search).getAll('match')
  return matchers.length === 0 ? undefined : { ...emptySilence, matchers: matchers.join('\n') }
}

/** As the API takes it, or what is wrong with it. */
export function silenceOf(draft: SilenceDraft, now: number): NewSilence | { readonly mistake: string } {
  const lines = draft.matchers
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) return { mistake: 'Say which alerts are meant, such as queue=dlq.orders.' }
  if (draft.reason.trim() === '') return { mistake: 'Say why: whoever finds it wants to know.' }
  try {
    const matchers = lines.map((line) => ({ ...readMatcher(line) }))
    const endsAt = now + parseDuration(draft.lasts.trim(), 'How long')
    return { matchers, endsAt, reason: draft.reason.trim(), evenProtected: draft.evenProtected }
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) }
  }
}

import type { Operation } from '../sql.ts'

/** What is removed when it is older than anybody looks at, a few rows at a time. `before` is in the time of its column. */
const forgetting = {
  /** Whose broker has forgotten the letter too. */
  tombstones: `DELETE FROM tombstones WHERE (source, identity) IN (
    SELECT source, identity FROM tombstones WHERE until <= ? ORDER BY until LIMIT ?)`,
  /** Hours since 1970. */
  causeHours: `DELETE FROM cause_hours WHERE (cause, hour) IN (SELECT cause, hour FROM cause_hours WHERE hour < ? ORDER BY hour LIMIT ?)`,
  /** The last one for a sink says whether it is well, and stays. */
  deadDeliveries: `DELETE FROM deliveries WHERE id IN (
    SELECT dead.id FROM deliveries AS dead WHERE dead.state = 'dead' AND dead.state_since < ?
      AND EXISTS (SELECT 1 FROM deliveries AS later WHERE later.sink = dead.sink AND later.id > dead.id) ORDER BY dead.id LIMIT ?)`,
  tokens: `DELETE FROM tokens WHERE id IN (SELECT id FROM tokens
    WHERE CASE WHEN revoked_at < expires_at THEN revoked_at ELSE expires_at END < ? ORDER BY id LIMIT ?)`,
  sessions: 'DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE made_at < ? LIMIT ?)',
  links: 'DELETE FROM one_time_links WHERE hash IN (SELECT hash FROM one_time_links WHERE expires_at < ? LIMIT ?)',
  /** In the time of the alert engine. */
  silences: 'DELETE FROM silences WHERE id IN (SELECT id FROM silences WHERE ends < ? ORDER BY ends LIMIT ?)',
} as const

export type Forgettable = keyof typeof forgetting | 'marks'

export interface Forgetting {
  /** Of each, what is older than this. */
  readonly before: Readonly<Partial<Record<Forgettable, number>>>
  /** The most rows of each that one step removes. */
  readonly limit: number
}

/** One step; whether nothing is left that would be removed. */
export const forgetOld: Operation<Forgetting, { readonly isOver: boolean }> = async (sql, { before, limit }) => {
  let isOver = true
  for (const [what, at] of Object.entries(before) as [Forgettable, number][]) {
    const rows = what === 'marks' ? await sql.run(forgetMarks, at, at, limit) : await sql.run(forgetting[what], at, limit)
    isOver &&= rows < limit
  }
  return { isOver }
}

/**
 * Whoever has snoozed an alert means all that come of it, and whoever has acknowledged one means that one: a mark goes when the one is long over, and the other is
 * too, or is about an alert that is gone.
 */
const forgetMarks = `
  DELETE FROM alert_marks WHERE fingerprint IN (
    SELECT mark.fingerprint FROM alert_marks AS mark
    WHERE coalesce(mark.snoozed_until, 0) < ? AND (coalesce(mark.acknowledged_until, 0) < ? OR NOT EXISTS (
      SELECT 1 FROM alerts WHERE alerts.fingerprint = mark.fingerprint AND alerts.episode = mark.episode)) LIMIT ?)`

/**
 * An alert that comes and goes all the time is told once, and then not again before it has settled. The last 21 checks count, the newest most,
 * as in Nagios: 30 % of changes begin it, below 20 % and a quarter of an hour without any ends it.
 */
export interface Flaps {
  /** Whether the alert was up, the oldest first: `0` and `1`. */
  readonly checks: string
  readonly checkedAt: number
  readonly changedAt: number
  readonly isFlapping: boolean
}

const mostChecks = 21
const beginsAt = 0.3
const endsBelow = 0.2
const settledAfter = 15 * 60_000
/** However often somebody looks, a check is at least so long after the one before, unless something changed: so it means the same at every interval. */
const checkEvery = 60_000
const [leastWeight, mostWeight] = [0.8, 1.2]

export function noFlaps(now: number): Flaps {
  return { checks: '', checkedAt: now, changedAt: now, isFlapping: false }
}

export function check(before: Flaps, isUp: boolean, now: number): Flaps {
  const mark = isUp ? '1' : '0'
  const changed = before.checks !== '' && !before.checks.endsWith(mark)
  const isDue = before.checks === '' || changed || now - before.checkedAt >= checkEvery
  const checks = isDue ? (before.checks + mark).slice(-mostChecks) : before.checks
  const changedAt = changed ? now : before.changedAt
  const share = shareOfChanges(checks)
  const isFlapping = before.isFlapping ? share >= endsBelow || now - changedAt < settledAfter : share >= beginsAt
  return { checks, checkedAt: isDue ? now : before.checkedAt, changedAt, isFlapping }
}

/** Of all changes that 21 checks can hold, whether or not there have been so many: a first change is none of them. */
function shareOfChanges(checks: string): number {
  const possible = mostChecks - 1
  let share = 0
  for (let at = 1; at < checks.length; at++) {
    const place = possible - (checks.length - at)
    if (checks[at] !== checks[at - 1]) share += leastWeight + ((mostWeight - leastWeight) * place) / (possible - 1)
  }
  return share / possible
}

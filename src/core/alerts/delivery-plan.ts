/** What waits for a sink, as far as it matters for what is next. Times are epoch milliseconds. */
export interface Waiting {
  readonly id: number
  readonly groupKey: string
  readonly attempts: number
  readonly nextAt: number
  readonly failingSince: number | null
}

export type NextDelivery<Row extends Waiting> =
  /** All that waits of one group, the oldest first: it is told at once, by its latest. */
  { readonly kind: 'send'; readonly rows: readonly [Row, ...Row[]] } | { readonly kind: 'rest'; readonly until: number }

/** No wait is longer; a wall clock that was set back makes it look so, and then it counts as over. */
export const longestWait: number = 15 * 60_000

/**
 * What a sink is told next, of rows in their order. A group never overtakes itself, so that nobody hears of an end before its beginning. A group that
 * the sink refuses steps back, and the next one is tried: what is wrong with one message must not keep others from people.
 */
export function nextDelivery<Row extends Waiting>(rows: readonly Row[], now: number): NextDelivery<Row> {
  const groups = Map.groupBy(rows, ({ groupKey }) => groupKey)
  let until = Number.POSITIVE_INFINITY
  for (const [first, ...later] of groups.values()) {
    if (!first) continue
    if (first.nextAt <= now || first.nextAt > now + longestWait) return { kind: 'send', rows: [first, ...later] }
    until = Math.min(until, first.nextAt)
  }
  return { kind: 'rest', until }
}

const giveUpAfter = 24 * 3_600_000
/** A clock that was set forward by a day has not tried for a day. */
const fewestAttempts = 20

/** Whether somebody has to look at it, since nobody will take it any more. */
export function isHopeless({ failingSince, attempts }: Waiting, now: number): boolean {
  return failingSince !== null && now - failingSince >= giveUpAfter && attempts >= fewestAttempts
}

/**
 * How a replay feels its way: a few letters first, and more only when those have been seen to succeed. Pure: from what the ledger counts to
 * how many may be sent in all.
 */
export interface Canary {
  /** How many are sent before anything is known. */
  readonly first: number
  /** By how much each step is larger than what was sent before it. */
  readonly growth: number
  /** The share of letters that may come back before the replay stops by itself, from 0 to 1. */
  readonly tolerated: number
}

/** What a letter of a replay can be; `skipped` was somebody else's when the replay came to it, or had nothing left to send. */
export const ledgerStates = [
  'planned',
  'claimed',
  'sent',
  'succeeded',
  'assumed',
  'returned',
  'unknown',
  'refused',
  'cancelled',
  'skipped',
] as const

export type LedgerState = (typeof ledgerStates)[number]
export type LedgerCounts = Readonly<Record<LedgerState, number>>

export const noneCounted: LedgerCounts = Object.fromEntries(ledgerStates.map((state) => [state, 0])) as LedgerCounts

export type Allowance =
  /** So many more may be sent now. */
  | { readonly kind: 'send'; readonly more: number }
  /** Nothing more before the outcome of what is out there is known. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'stop'; readonly because: string }
  | { readonly kind: 'done' }

/**
 * Without a canary everything may go at once; what comes back is then only counted. `judged` is what a person had seen when they let it go on:
 * it is no reason to stop again.
 */
export function allowance(total: LedgerCounts, canary: Canary | undefined, judged: LedgerCounts | null = null): Allowance {
  const { planned, claimed, sent, succeeded, assumed, returned, unknown, refused } =
    judged === null ? total : since(total, judged)
  const waiting = claimed + sent
  if (canary && returned > 0) {
    const known = succeeded + assumed + returned
    if (returned / known > canary.tolerated) return { kind: 'stop', because: `${returned} of ${known} letters came back` }
  }
  if (canary && refused + unknown > 0 && succeeded + assumed === 0 && waiting === 0) {
    return { kind: 'stop', because: 'no letter could be shown to have arrived' }
  }
  if (planned === 0) return waiting === 0 ? { kind: 'done' } : { kind: 'wait' }
  if (!canary) return { kind: 'send', more: planned }
  const tried = waiting + succeeded + assumed + returned + unknown
  const room = stepEnd(succeeded + assumed + returned + unknown, canary) - tried
  return room > 0 ? { kind: 'send', more: Math.min(planned, room) } : { kind: 'wait' }
}

/** The end of the step that those whose outcome is known have opened: a step is open when all before it are known. */
function stepEnd(known: number, { first, growth }: Canary): number {
  let end = first
  while (known >= end) end += Math.max(1, Math.ceil(end * (growth - 1)))
  return end
}

/** What is planned or on its way is so now, whenever it came there. */
function since(total: LedgerCounts, judged: LedgerCounts): LedgerCounts {
  return {
    ...total,
    succeeded: total.succeeded - judged.succeeded,
    assumed: Math.max(0, total.assumed - judged.assumed),
    returned: total.returned - judged.returned,
    unknown: Math.max(0, total.unknown - judged.unknown),
    refused: total.refused - judged.refused,
  }
}

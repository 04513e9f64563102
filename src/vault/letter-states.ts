/**
 * Where a letter stands.
 *
 * open → replaying → sent → succeeded | assumed | returned; open → discarded | expired → purged (its row is gone; it is still counted). `unknown`: a replay may or may not have sent it, and
 * a person has to decide. A letter that comes back from a replay is a dead letter of its own, of the next generation; the one that was
 * replayed is `returned`, and its successor is open.
 */
export const letterStates = [
  'open',
  'replaying',
  'sent',
  'succeeded',
  'assumed',
  'returned',
  'unknown',
  'discarded',
  'expired',
  'purged',
] as const

export type LetterState = (typeof letterStates)[number]

/** What still asks for somebody's attention: what a red number counts. */
export const unresolvedStates: ReadonlySet<LetterState> = new Set(['open', 'replaying', 'sent', 'unknown'])

/** What became of the broker's copy: followed; collected, but the broker has not accepted that yet; the same and delivered once more; gone. */
export type BrokerCopy = 'kept' | 'completing' | 'matched' | 'gone'

/**
 * Where a letter stands.
 *
 * open → replaying → sent → succeeded | assumed | returned; open → discarded | expired. `unknown`: a replay may or may not have sent it, and
 * a person has to decide. A letter that comes back from a replay is a dead letter of its own, of the next generation; the one that was
 * replayed is `returned`, and its successor is open. One that was erased has nothing to send: a replay that comes to it discards it.
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
] as const

export type LetterState = (typeof letterStates)[number]

/**
 * An entity that requires sessions takes no message without one. Messages without a key have no order, so they share a few sessions
 * of ours, which are no lanes.
 */
const prefix = 'redrive-no-key-'
const shared = 16

export function sessionFor(id: string): string {
  let sum = 0
  for (let index = 0; index < id.length; index++) sum = (sum * 31 + id.charCodeAt(index)) % 1_000_003
  return `${prefix}${sum % shared}`
}

/** The key that a session stands for; none where we made the session up. */
export function sessionKey(session: string): string | undefined {
  return session.startsWith(prefix) ? undefined : session
}

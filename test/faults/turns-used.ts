import type { HandlerRecord } from './handler-log.ts'

/** A consumer process that was killed, or died of a message. */
export interface Death {
  readonly life: number
  /** The messages that were in its hands, claimed ahead ones included, as the broker tells; absent where it cannot be asked. */
  readonly inHand?: readonly number[]
}

/**
 * Turns that a message has had as the observers saw them, and so the most that anybody may have counted: those that failed, and those in
 * which it was alone in the hands of a process that died.
 *
 * The first death costs nothing, since nobody knows which of all messages in hand it was. It makes suspects, and a suspect runs
 * alone; so a message that died among others was claimed ahead, or ran as their neighbour, and is blamed for nothing. Where no broker can tell
 * what was in hand, every death may have been a turn.
 */
export function turnsUsed(number: number, handled: readonly HandlerRecord[], deaths: readonly Death[]): number {
  const failures = handled.filter((record) => record.number === number && record.what === 'failed')
  let used = failures.length
  let isSuspect = false
  for (const { life, inHand } of deaths) {
    if (failures.some((failure) => failure.life === life)) isSuspect = false
    if (inHand === undefined) used++
    else if (inHand.includes(number)) {
      if (isSuspect && inHand.length === 1) used++
      isSuspect = true
    }
  }
  return used
}

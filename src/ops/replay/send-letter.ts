import { decodeMessage, parseEnvelope } from '../../core/envelope.ts'
import { codeOf, hasCode, isCertainlyNotWritten, RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import { replayedMessage } from '../../core/replayed-message.ts'
import type { Transport } from '../../transports/seam.ts'
import type { BrokersCopy, ClaimedLetter } from '../../vault/operations/claims.ts'
import type { SendOutcome } from '../../vault/operations/outcomes.ts'
import { addressOf } from '../source.ts'

export type TransportNamed = (connection: string) => Transport | undefined

/** Tells what became of it; never rejects. */
export async function sendLetter(claimed: ClaimedLetter, replay: number, transportNamed: TransportNamed): Promise<SendOutcome> {
  const { seq, letter, destination } = claimed
  let removed = false
  try {
    const transport = transportNamed(destination.connection)
    if (!transport) throw new RedriveError('refused', `There is no connection ${destination.connection} any more.`)
    removed = await removeCopy(claimed.copy, transportNamed)
    const { channel, group, via } = destination
    const address = { name: channel, ...(group !== undefined && { group }) }
    const options = { dedupId: dedupIdOf(claimed, replay), ...(via && { via }) }
    const { duplicate } = await transport.send(address, messageOf(claimed, replay), options)
    // Nobody has sent this before: that the broker knows it already means that something is very wrong.
    return duplicate
      ? { seq, letter, outcome: 'unknown', problem: 'duplicate', removed }
      : { seq, letter, outcome: 'sent', removed }
  } catch (error) {
    return { seq, letter, outcome: outcomeOf(error), problem: codeOf(error), removed }
  }
}

/** Its place in the plan as well: two letters of one name, such as copies of which one was edited, are two. */
function dedupIdOf({ name, seq }: ClaimedLetter, replay: number): string {
  return `${name}:${replay}:${seq}`
}

function messageOf({ envelope, body, dialect, name, generation }: ClaimedLetter, replay: number): Message {
  return replayedMessage({ message: decodeMessage(parseEnvelope(envelope), body), dialect, name, generation, replay })
}

/**
 * The broker's copy of a followed letter goes first, or there would be two. If it is gone, somebody else has dealt with it. From a log nothing
 * can be removed: there the copy stays, and nobody consumes it.
 */
async function removeCopy(copy: BrokersCopy | null, transportNamed: TransportNamed): Promise<boolean> {
  if (copy === null) return false
  const transport = transportNamed(copy.connection)
  if (!transport) throw new RedriveError('refused', `There is no connection ${copy.connection} any more.`)
  if (transport.capabilities.remove !== 'by-position') return false
  if (await transport.remove(addressOf(copy), copy.position)) return true
  throw new RedriveError('refused', `The letter is not in ${copy.channel} any more.`)
}

/** A broker that is away will be back: that is no judgement on the letter. */
function outcomeOf(error: unknown): SendOutcome['outcome'] {
  if (hasCode(error, 'unreachable')) return 'unsent'
  return isCertainlyNotWritten(error) ? 'refused' : 'unknown'
}

import { decodeMessage, parseEnvelope } from '../../core/envelope.ts'
import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import { replayedMessage } from '../../core/replayed-message.ts'
import type { Transport } from '../../transports/seam.ts'
import type { BrokersCopy, ClaimedLetter } from '../../vault/operations/claims.ts'
import type { SendOutcome } from '../../vault/operations/outcomes.ts'

export type TransportNamed = (connection: string) => Transport | undefined

/**
 * Sends what was claimed. Letters of one key leave one after the other, each when the one before it is confirmed; the rest leave together.
 * When one of a key is not certain to have arrived, those behind it are not sent: they would overtake it.
 */
export async function sendClaimed(
  letters: readonly ClaimedLetter[],
  replay: number,
  transportNamed: TransportNamed,
): Promise<readonly SendOutcome[]> {
  const outcomes = await Promise.all(byKey(letters).map((line) => sendInOrder(line, replay, transportNamed)))
  return outcomes.flat()
}

function byKey(letters: readonly ClaimedLetter[]): ClaimedLetter[][] {
  const lines = new Map<string, ClaimedLetter[]>()
  for (const letter of letters) {
    const { connection, channel } = letter.destination
    const line = letter.key === null ? `letter ${letter.letter}` : JSON.stringify([connection, channel, letter.key])
    lines.set(line, [...(lines.get(line) ?? []), letter])
  }
  return [...lines.values()]
}

async function sendInOrder(
  line: readonly ClaimedLetter[],
  replay: number,
  transportNamed: TransportNamed,
): Promise<readonly SendOutcome[]> {
  const outcomes: SendOutcome[] = []
  for (const letter of line) {
    const blocked = outcomes.some(({ outcome }) => outcome !== 'sent')
    const isAway = outcomes.at(-1)?.outcome === 'unsent'
    outcomes.push(
      blocked
        ? { seq: letter.seq, letter: letter.letter, outcome: isAway ? 'unsent' : 'refused', problem: 'behind-unsent' }
        : await sendOne(letter, replay, transportNamed),
    )
  }
  return outcomes
}

async function sendOne(claimed: ClaimedLetter, replay: number, transportNamed: TransportNamed): Promise<SendOutcome> {
  const { seq, letter, destination } = claimed
  let removed = false
  try {
    const transport = transportNamed(destination.connection)
    if (!transport) throw new RedriveError('refused', `There is no connection ${destination.connection} any more.`)
    removed = await removeCopy(claimed.copy, transportNamed)
    const { channel, group } = destination
    const address = { name: channel, ...(group !== undefined && { group }) }
    const { duplicate } = await transport.send(address, messageOf(claimed, replay), { dedupId: `${claimed.name}:${replay}` })
    // Nobody has sent this before: that the broker knows it already means that something is very wrong.
    return duplicate
      ? { seq, letter, outcome: 'unknown', problem: 'duplicate', removed }
      : { seq, letter, outcome: 'sent', removed }
  } catch (error) {
    return { seq, letter, outcome: outcomeOf(error), problem: problemOf(error), removed }
  }
}

function messageOf({ envelope, body, dialect, name, generation }: ClaimedLetter, replay: number): Message {
  return replayedMessage({ message: decodeMessage(parseEnvelope(envelope), body), dialect, name, generation, replay })
}

/**
 * The broker's copy of a followed letter goes first, or there would be two. If it is gone, somebody else has dealt with it. From a log nothing
 * can be removed: there the copy stays, and nobody consumes it.
 */
async function removeCopy(copy: BrokersCopy | null, transportNamed: TransportNamed): Promise<boolean> {
  const transport = copy === null ? undefined : transportNamed(copy.connection)
  if (copy === null || transport?.capabilities.remove !== 'by-position') return false
  const address = { name: copy.channel, ...(copy.part === 'dead-letter' && { part: 'dead-letter' as const }) }
  if (await transport.remove(address, copy.position)) return true
  throw new RedriveError('refused', `The letter is not in ${copy.channel} any more.`)
}

const nothingWritten = ['refused', 'too-large', 'bad-message', 'unknown-channel', 'unsupported'] as const

/** A broker that is away will be back: that is no judgement on the letter. */
function outcomeOf(error: unknown): SendOutcome['outcome'] {
  if (hasCode(error, 'unreachable')) return 'unsent'
  return nothingWritten.some((code) => hasCode(error, code)) ? 'refused' : 'unknown'
}

/** A code and no text: what a broker says about a message may quote it. */
function problemOf(error: unknown): string {
  return error instanceof RedriveError ? error.code : 'failed'
}

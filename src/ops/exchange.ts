import { Buffer } from 'node:buffer'
import { decodeMessage, encodeEnvelope, envelopeIn } from '../core/envelope.ts'
import { RedriveError } from '../core/errors.ts'
import type { LetterState } from '../core/letter-states.ts'
import type { Message } from '../core/message.ts'
import type { Clock } from '../core/ports.ts'
import type { Arrival } from '../vault/arrival.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import { searchTextOf } from '../vault/letter-words.ts'
import type { KeptLetter } from '../vault/operations/exchange.ts'
import { keyOfSource, type SourceName } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import type { Imported, Letters } from './control-plane.ts'
import { type ExportedLetter, optionalTexts } from './exported-letter.ts'

export async function exportLettersFrom(
  vault: Vault,
  clock: Clock,
  { filter = '', limit, before, bodies }: Parameters<Letters['export']>[0],
): ReturnType<Letters['export']> {
  const condition = conditionOf(filter, clock.now())
  const found = await vault.read('exportLetters', { condition, limit, bodies, ...(before !== undefined && { before }) })
  const last = found.at(-1)
  return { letters: found.map(exported), ...(found.length === limit && last && { next: last.letter.id }) }
}

function exported({ letter, identity, source, cause, content }: KeptLetter): ExportedLetter {
  const { originGroup, state, broker, channel, dialect, confidence, generation, attempts, failedAt, receivedAt, bytes } = letter
  const texts = { ...letter, group: originGroup }
  return {
    format: 1,
    source: exportedSource(source),
    identity: Buffer.from(identity).toString('base64'),
    state,
    broker: broker === 'kept' ? 'kept' : 'gone',
    cause,
    channel,
    dialect,
    confidence,
    generation,
    ...(attempts !== null && { attempts }),
    failedAt,
    receivedAt,
    bytes,
    ...Object.fromEntries(optionalTexts.filter((name) => texts[name] !== null).map((name) => [name, texts[name]])),
    ...(content && {
      envelope: content.envelope,
      body: content.body === null ? null : Buffer.from(content.body).toString('base64'),
    }),
  }
}

/** Without a group it is written as before there were any, so that older versions can read it. */
function exportedSource({ group, ...name }: SourceName): ExportedLetter['source'] {
  return group === '' ? name : { ...name, group }
}

function sourceHere({ group = '', ...name }: ExportedLetter['source']): SourceName {
  return { ...name, group }
}

/** Letters of one source share a transaction. What nobody exported like that is refused by itself, and keeps no other one out. */
export async function importLettersInto(vault: Vault, clock: Clock, letters: readonly ExportedLetter[]): Promise<Imported> {
  const judged = letters.map(judgedExport)
  const bySource = Map.groupBy(
    judged.filter((each) => 'arrival' in each),
    ({ source }) => keyOfSource(source),
  )
  let imported = 0
  for (const [first, ...others] of bySource.values()) {
    if (!first) continue
    const given = { source: first.source, now: clock.now(), letters: [first, ...others] }
    imported += (await vault.write('importLetters', given)).letters
  }
  return { letters: imported, refused: judged.filter((each) => 'code' in each) }
}

interface GoodExport {
  readonly source: SourceName
  readonly arrival: Arrival
  readonly state: LetterState
}

type RefusedExport = Imported['refused'][number]

function judgedExport(letter: ExportedLetter, index: number): GoodExport | RefusedExport {
  try {
    return { source: sourceHere(letter.source), arrival: arrivalOfExport(letter), state: stateHere(letter.state) }
  } catch (error) {
    if (!(error instanceof RedriveError)) throw error
    return { index, code: error.code, message: error.message }
  }
}

/** A replay that another vault had begun is not known here: whether it sent the letter, a person has to say. */
function stateHere(state: LetterState): LetterState {
  return state === 'replaying' || state === 'sent' ? 'unknown' : state
}

/** The number of a replay means nothing in another vault, and is left out: it would be taken for one of this one. */
function arrivalOfExport(letter: ExportedLetter): Arrival {
  const { envelope, body, cause, channel, dialect, confidence, generation, attempts, failedAt } = letter
  if (envelope === undefined || body === undefined) {
    throw new RedriveError('bad-message', 'The letter was exported without its body: it can be read, and not imported.')
  }
  const bytes = body === null ? null : Buffer.from(body, 'base64')
  const known = optionalTexts.filter((name) => letter[name] !== undefined).map((name) => [name, letter[name]])
  return {
    identity: { kind: 'known', bytes: Buffer.from(letter.identity, 'base64') },
    cause,
    broker: letter.broker === 'kept' ? 'kept' : 'completing',
    channel,
    dialect,
    confidence,
    generation,
    ...(attempts !== undefined && { attempts }),
    failedAt,
    envelope,
    body: bytes,
    text: searchTextOf(messageOf(envelope, bytes), [letter.reason, letter.errorType, letter.errorMessage]),
    ...Object.fromEntries(known),
  }
}

/** What we wrote reads back as the same text; what somebody made up may not. */
function messageOf(envelope: string, body: Uint8Array | null): Message {
  const read = envelopeIn(envelope)
  const message = read && decodeMessage(read, body)
  if (message && encodeEnvelope(message) === envelope) return message
  throw new RedriveError('bad-message', 'Its envelope is not one that was exported.')
}

import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import { nativeLetter } from '../../core/dialects/native-letter.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Failure } from '../../core/failure.ts'
import { headerText } from '../../core/headers.ts'
import type { Headers } from '../../core/message.ts'
import type { Delivery, Settlement } from '../seam.ts'
import { pathOf } from './bus.ts'
import { longestDelayInPlace } from './capabilities.ts'
import type { Disposition } from './disposition-pace.ts'
import { type Held, heldOf, loseLock } from './held.ts'
import { record } from './message.ts'
import type { Settings } from './options.ts'
import { sdkError, within } from './sdk-errors.ts'

/** The service cuts neither: it refuses what is longer. */
const longestReason = 4096

/** The first settlement that works wins. */
export function settle(delivery: Delivery, settlement: Settlement, settings: Settings): Promise<void> {
  const held = heldOf(delivery)
  held.settlement ??= attempt(held, settings, () =>
    held.origin.pace.run(dispositionOf(held, settlement.kind), () => act(held, delivery, settlement, settings)),
  )
  return held.settlement
}

/** Gives it back with a note that nothing happened to it. */
export function release(held: Held, settings: Settings): Promise<void> {
  held.settlement ??= attempt(held, settings, () =>
    held.origin.pace.run(dispositionOf(held, 'release'), () => abandon(held, notedTurns(held), {})),
  )
  return held.settlement
}

function dispositionOf({ received }: Held, kind: Settlement['kind']): Disposition {
  // What the SDK's types leave out: the delivery on its link.
  const { delivery } = received as { readonly delivery?: { readonly id: number } }
  return { kind: kind === 'complete' || kind === 'reject' ? kind : 'abandon', delivery: delivery?.id ?? 0 }
}

async function attempt(held: Held, { clock, answerWithin }: Settings, work: () => Promise<void>): Promise<void> {
  try {
    if (held.lock.loss) throw held.lock.loss
    await within(clock, answerWithin, 'unsure', work())
    held.origin.left(held)
  } catch (cause) {
    const error = sdkError(cause, pathOf(held.address), 'unsure')
    held.settlement = undefined
    held.answered = true
    if (error.code === 'unsure') held.origin.doubt()
    if (error.code === 'hold-lost') forget(held, error, cause)
    throw error
  }
}

/** In a session the lock is that of all its messages, and one that is not ours any more is no reason to let go of the others. */
function forget(held: Held, error: RedriveError, cause: unknown): void {
  if (held.origin.inSession) held.origin.left(held)
  else loseLock(held.lock, error.message, cause)
}

async function act(held: Held, delivery: Delivery, settlement: Settlement, settings: Settings): Promise<void> {
  const { desk } = held.origin
  switch (settlement.kind) {
    case 'complete':
      return desk.completeMessage(shown(held))
    case 'release':
      return giveBack(held, delivery.turns, {})
    case 'reject':
      return desk.deadLetterMessage(shown(held), deathOf(delivery, settlement.failure))
    case 'retry':
      checkDelay(settlement.delay, settings)
      return giveBack(held, delivery.turns + 1, {
        ...propertiesFrom(settlement.headers ?? []),
        ...(settlement.delay > 0 && { [record.notBefore]: settings.clock.now() + settlement.delay }),
      })
    case 'move':
      throw new RedriveError('unsupported', 'Service Bus has no move: send a copy, then complete.')
  }
}

function checkDelay(delay: number, { retry, sessions }: Settings): void {
  if (retry === 'copy')
    throw new RedriveError(
      'unsupported',
      'Without sessions a retry is a copy: send it, then complete. Or set the option retry to abandon.',
    )
  const longest = longestDelayInPlace(sessions)
  if (delay > longest)
    throw new RedriveError('unsupported', `A message can wait in its place for at most ${longest} ms, and not for ${delay}.`)
}

async function giveBack(held: Held, turns: number, changes: Changes): Promise<void> {
  held.origin.returning?.(held, true)
  try {
    await abandon(held, turns, changes)
  } catch (error) {
    // Only what was refused for certain stays here: anything else may have been done, and then those behind it still wait for it.
    held.origin.returning?.(held, sdkError(error, pathOf(held.address), 'unsure').code !== 'refused')
    throw error
  }
}

type Changes = Readonly<Record<string, string | number | boolean | Date | null>>

/** The record tells the next receiver that this delivery had an outcome, and that nobody died of it. */
function abandon({ received, origin, ...held }: Held, turns: number, changes: Changes): Promise<void> {
  const noted = { [record.deliveries]: Number(received.deliveryCount ?? 0) + 1, [record.turns]: turns }
  return origin.desk.abandonMessage(shown({ received, origin, ...held }), { ...changes, ...noted })
}

function notedTurns({ received }: Held): number {
  const noted = received.applicationProperties?.[record.turns]
  return typeof noted === 'number' ? noted : 0
}

/**
 * The message as the SDK is to see it. It takes a session id for a session, although an entity without sessions knows none; and it would
 * settle by a link that is gone, or that has answered and cannot be asked again. Without a link it asks the service by request, which
 * works for as long as the lock does.
 */
function shown({ received, origin, answered }: Held): ServiceBusReceivedMessage {
  const byRequest = answered || !origin.alive()
  if (origin.inSession && !byRequest) return received
  const message: object = Object.create(received, {
    ...(!origin.inSession && { sessionId: { value: undefined } }),
    ...(byRequest && { delivery: { value: {} } }),
  })
  return message as ServiceBusReceivedMessage
}

type Death = Record<string, string> & Record<'deadLetterReason' | 'deadLetterErrorDescription', string>

function deathOf({ message, address, position = '' }: Delivery, failure: Failure): Death {
  const letter = nativeLetter({ ...message, headers: [] }, failure, { channel: pathOf(address), position })
  return {
    ...propertiesFrom(letter.headers),
    deadLetterReason: failure.reason.slice(0, longestReason),
    deadLetterErrorDescription: failure.description.slice(0, longestReason),
  }
}

/** The SDK takes simple values here. */
function propertiesFrom(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name, headerText(value) ?? '']))
}

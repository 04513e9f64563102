import type { DeadLetterOptions, ServiceBusReceivedMessage } from '@azure/service-bus'
import { failureHeaders, names } from '../../core/dialects/letter-headers.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Failure } from '../../core/failure.ts'
import { headerText } from '../../core/headers.ts'
import type { Headers } from '../../core/message.ts'
import type { Delivery, Settlement } from '../seam.ts'
import { pathOf } from './bus.ts'
import { type Answer, completeByLink, rejectByLink } from './by-link.ts'
import { longestDelayInPlace } from './capabilities.ts'
import { heldOf, type Note, noteOfRelease, noteOfTurn } from './delivery.ts'
import type { Disposition } from './disposition-pace.ts'
import { type Held, leavePlace, loseLock } from './held.ts'
import { record } from './message.ts'
import type { Settings } from './options.ts'
import { sdkError } from './sdk-errors.ts'

/** The service cuts neither: it refuses what is longer. */
const longestReason = 4096

/** The first settlement that works wins. */
export function settle(delivery: Delivery, settlement: Settlement, settings: Settings): Promise<void> {
  const held = heldOf(delivery)
  held.settlement ??= attempt(held, settlement.kind, settings, (answer) => act(held, delivery, settlement, settings, answer))
  return held.settlement
}

/** Gives it back with a note that it has had no turn. */
export function release(held: Held, settings: Settings): Promise<void> {
  held.settlement ??= attempt(held, 'release', settings, (answer) =>
    asked(abandon(held, noteOfRelease(held.received), {}), answer),
  )
  return held.settlement
}

/** With callbacks and not as an async function: it is the path of every message. */
function attempt(
  held: Held,
  kind: Settlement['kind'],
  { answerWithin }: Settings,
  work: (answer: Answer) => void,
): Promise<void> {
  const { lock, origin } = held
  if (lock.loss) return Promise.reject(unsettled(held, lock.loss))
  held.settling = true
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(unsettled(held, new RedriveError('unsure', `Service Bus did not answer within ${answerWithin} ms.`)))
    /** Whoever answers after that is not heard any more. */
    const failed = (cause: unknown): void => {
      if (origin.answers.end(late)) reject(unsettled(held, cause))
    }
    const done = (): void => {
      if (!origin.answers.end(late)) return
      held.settling = false
      origin.left(held)
      // It may have left before, when its lock was lost, and its place was kept for this answer.
      leavePlace(held)
      resolve()
    }
    origin.answers.begin(late)
    origin.pace.run(dispositionOf(held, kind), () => {
      try {
        work({ done, failed })
      } catch (cause) {
        // Later, as everything else: whoever asked must have its promise first.
        queueMicrotask(() => failed(cause))
      }
    })
  })
}

function dispositionOf({ received }: Held, kind: Settlement['kind']): Disposition {
  // What the SDK's types leave out: the delivery on its link.
  const { delivery } = received as { readonly delivery?: { readonly id: number } }
  return { kind: kind === 'complete' || kind === 'reject' ? kind : 'abandon', delivery: delivery?.id ?? 0 }
}

/** It is still ours, unless the reason is that it is not. */
function unsettled(held: Held, cause: unknown): RedriveError {
  const error = sdkError(cause, pathOf(held.address), 'unsure')
  held.settlement = undefined
  held.settling = false
  held.answered = true
  if (error.code === 'unsure') held.origin.doubt()
  if (error.code === 'hold-lost') forget(held, error, cause)
  leavePlace(held)
  return error
}

/** In a session the lock is that of all its messages, and one that is not ours any more is no reason to let go of the others. */
function forget(held: Held, error: RedriveError, cause: unknown): void {
  if (held.origin.inSession) held.origin.left(held)
  else loseLock(held.lock, error.message, cause)
}

function act(held: Held, delivery: Delivery, settlement: Settlement, settings: Settings, answer: Answer): void {
  switch (settlement.kind) {
    case 'complete':
      complete(held, answer)
      break
    case 'release':
      asked(giveBack(held, noteOfRelease(held.received), {}), answer)
      break
    case 'reject':
      reject(held, deathOf(delivery, settlement.failure), answer)
      break
    case 'retry':
      checkDelay(settlement.delay, settings)
      asked(giveBack(held, noteOfTurn(held.received), changesOf(held, settlement)), answer)
      break
    case 'move':
      throw new RedriveError('unsupported', 'Service Bus has no move: send a copy, then complete.')
  }
}

function asked(work: Promise<void>, { done, failed }: Answer): void {
  work.then(done, failed)
}

function complete(held: Held, answer: Answer): void {
  const { desk, receiver } = held.origin
  if (isByLink(held) && completeByLink(receiver, held.received, answer)) return
  asked(desk.completeMessage(shown(held)), answer)
}

function reject(held: Held, texts: readonly string[], answer: Answer): void {
  const { desk, receiver, types } = held.origin
  if (isByLink(held) && rejectByLink(receiver, held.received, answer, { types, texts })) return
  asked(desk.deadLetterMessage(shown(held), optionsFrom(texts)), answer)
}

function changesOf({ origin }: Held, { headers = [], delay }: Extract<Settlement, { kind: 'retry' }>): Changes {
  return { ...propertiesFrom(headers), ...(delay > 0 && { [record.notBefore]: origin.service.now() + delay }) }
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

async function giveBack(held: Held, note: Note, changes: Changes): Promise<void> {
  held.origin.returning?.(held, true)
  try {
    await abandon(held, note, changes)
  } catch (error) {
    // Only what was refused for certain stays here: anything else may have been done, and then those behind it still wait for it.
    if (sdkError(error, pathOf(held.address), 'unsure').code === 'refused') held.origin.returning?.(held, false)
    throw error
  }
}

type Changes = Readonly<Record<string, string | number | boolean | Date | null>>

/** The note tells the next receiver what became of this delivery: nobody died of it. */
function abandon(held: Held, note: Note, changes: Changes): Promise<void> {
  return held.origin.desk.abandonMessage(shown(held), { ...changes, ...note })
}

/**
 * The message as the SDK is to see it. It takes a session id for a session, although an entity without sessions knows none: whoever was
 * given the message has its key by now, and the id is taken off. And the SDK would settle by a link that is gone, or that has answered
 * and cannot be asked again; without a link it asks the service by request, which works for as long as the lock does.
 */
function shown(held: Held): ServiceBusReceivedMessage {
  const { received, origin } = held
  if (!origin.inSession) (received as { sessionId: string | undefined }).sessionId = undefined
  if (isByLink(held)) return received
  return Object.create(received, { delivery: { value: {} } }) as ServiceBusReceivedMessage
}

/** Whether its link is still there, and has not been asked about it in vain. */
function isByLink({ answered, origin }: Held): boolean {
  return !answered && origin.alive()
}

const death = { reason: 'DeadLetterReason', description: 'DeadLetterErrorDescription' } as const

/** What is written on it when it dies, names and values one after the other; the last four are the service's own. */
function deathOf({ address, position = '' }: Delivery, failure: Failure): readonly string[] {
  const { reason, description } = failure
  const origin = { channel: pathOf(address), position }
  const texts: string[] = []
  for (const { name, value } of failureHeaders({ failure, origin })) texts.push(name, String(value))
  texts.push(names.description, description)
  texts.push(death.reason, reason.slice(0, longestReason), death.description, description.slice(0, longestReason))
  return texts
}

/** The same as the SDK takes it. */
function optionsFrom(texts: readonly string[]): Record<string, string> & DeadLetterOptions {
  const options: Record<string, string> = {}
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [name = '', value = ''] = texts.slice(at, at + 2)
    const own = name === death.reason ? 'deadLetterReason' : name === death.description ? 'deadLetterErrorDescription' : name
    options[own] = value
  }
  return options as Record<string, string> & DeadLetterOptions
}

/** The SDK takes simple values here. */
function propertiesFrom(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name, headerText(value) ?? '']))
}

import rhea, { type Typed } from 'rhea'
import type { Disposition } from '../../src/transports/servicebus/disposition-pace.ts'
import type { MessageStore } from './message-store.ts'
import { ServiceError } from './service-error.ts'

const { message } = rhea

interface RemoteState {
  readonly message_annotations?: Readonly<Record<string, unknown>>
  readonly undeliverable_here?: boolean
  readonly error?: { readonly info?: Readonly<Record<string, unknown>> }
}

interface Described {
  described(): Typed
}
/** Rhea's makers of outcomes, which its types leave out. */
const outcomes = message as unknown as {
  accepted(): Described
  released(): Described
  modified(parameters: object): Described
  rejected(parameters?: object): Described
}

export type Outcome = 'accepted' | 'released' | 'modified' | 'rejected'

/** Does what a receiver decided about a message, and tells what to answer. */
export function settle(store: MessageStore, token: string, outcome: Outcome, state: RemoteState): Typed {
  switch (outcome) {
    case 'accepted':
      store.complete(token)
      return outcomes.accepted().described()
    case 'released':
      store.abandon(token)
      return outcomes.released().described()
    case 'modified': {
      const { undeliverable_here: forever = false, message_annotations: properties } = state
      if (forever) store.defer(token, properties && { ...properties })
      else store.abandon(token, properties && { ...properties })
      return outcomes.modified({ undeliverable_here: forever }).described()
    }
    case 'rejected': {
      const { DeadLetterReason: reason, DeadLetterErrorDescription: description, ...properties } = state.error?.info ?? {}
      store.deadLetter(token, textOf(reason), textOf(description), properties)
      return outcomes.rejected().described()
    }
  }
}

export function accepted(): Typed {
  return outcomes.accepted().described()
}

/** What rhea may write together, in the words of the client that has to know the same. */
export function dispositionKind({ descriptor }: Typed): Disposition['kind'] {
  return descriptor.value === 0x24 ? 'complete' : descriptor.value === 0x25 ? 'reject' : 'abandon'
}

export function refusal(error: unknown): Typed {
  const condition = error instanceof ServiceError ? error.condition : 'amqp:internal-error'
  const description = error instanceof Error ? error.message : String(error)
  return outcomes.rejected({ error: { condition, description } }).described()
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value)
}

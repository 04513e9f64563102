import rhea, { type Typed } from 'rhea'
import { shown } from './deliver.ts'
import type { FaultDesk } from './faults.ts'
import type { MessageStore } from './message-store.ts'
import type { Namespace, Queue } from './namespace.ts'
import { messageNotFound, ServiceError } from './service-error.ts'

const { types } = rhea
/** An answer is one message: the service may show fewer than were asked for. */
const largestAnswer = 256 * 1024

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, Typed | undefined>>
}

type Body = Readonly<Record<string, unknown>>
interface Place {
  readonly namespace: Namespace
  readonly path: string
  readonly faults: FaultDesk
}

const nothing: Answer = { status: 204, body: {} }
const done: Answer = { status: 200, body: {} }

/** Requests that a client sends to the `$management` node of an entity. */
export function manage(operation: string, body: Body, place: Place): Answer {
  switch (operation.replace('com.microsoft:', '')) {
    case 'schedule-message':
      return schedule(body, place)
    case 'cancel-scheduled-message':
      return cancelScheduled(body, storeOf(place).store)
    case 'peek-message':
      return peek(body, storeOf(place).store)
    case 'renew-lock':
      return renew(body, storeOf(place).store)
    case 'update-disposition':
      return updateDisposition(body, place)
    case 'receive-by-sequence-number':
      return receiveDeferred(body, storeOf(place).store)
    case 'renew-session-lock':
    case 'get-session-state':
    case 'set-session-state':
      return aboutSession(operation, body, storeOf(place).queue)
    default:
      throw new ServiceError('amqp:not-implemented', `The operation ${operation} is not implemented.`, 501)
  }
}

function storeOf({ namespace, path }: Place): { queue: Queue; store: MessageStore } {
  return namespace.store(path)
}

/** Rhea gives whole numbers beyond 2^53 as bytes. */
function whole(value: unknown): number {
  return Buffer.isBuffer(value) ? Number(value.readBigInt64BE(0)) : Number(value)
}

function tokensOf(body: Body): string[] {
  return (body['lock-tokens'] as readonly Buffer[]).map((token) => Buffer.from(token).toString('hex'))
}

function numbersOf(body: Body): number[] {
  return (body['sequence-numbers'] as readonly unknown[]).map(whole)
}

function peek(body: Body, store: MessageStore): Answer {
  const wanted = whole(body['message-count'])
  const session = body['session-id']
  const found: Typed[] = []
  let size = 0
  for (const entry of store.from(whole(body['from-sequence-number']))) {
    if (typeof session === 'string' && entry.message.sessionId !== session) continue
    const bytes = shown(entry)
    size += bytes.length
    if (found.length === wanted || (found.length > 0 && size > largestAnswer)) break
    found.push(types.wrap_map({ message: types.wrap_binary(bytes) }))
  }
  return found.length === 0 ? nothing : { status: 200, body: { messages: types.wrap_list(found) } }
}

function renew(body: Body, store: MessageStore): Answer {
  const ends = tokensOf(body).map((token) => store.renew(token))
  return { status: 200, body: { expirations: types.wrap_array(ends, 0x83, undefined) } }
}

function updateDisposition(body: Body, place: Place): Answer {
  const { store } = storeOf(place)
  const properties = body['properties-to-modify'] as Body | undefined
  const text = (name: string): string | undefined => (typeof body[name] === 'string' ? body[name] : undefined)
  for (const token of tokensOf(body)) {
    switch (body['disposition-status']) {
      case 'completed':
        store.complete(token)
        break
      case 'abandoned':
        store.abandon(token, properties)
        break
      case 'defered':
        store.defer(token, properties)
        break
      case 'suspended':
        place.faults.check('dead-letter', place.path)
        store.deadLetter(token, text('deadletter-reason'), text('deadletter-description'), properties)
        break
      default:
        throw new ServiceError('com.microsoft:argument-error', `disposition-status is ${String(body['disposition-status'])}.`)
    }
  }
  return done
}

function receiveDeferred(body: Body, store: MessageStore): Answer {
  const found = numbersOf(body).map((sequence) => {
    const entry = store.get(sequence)
    if (entry?.state !== 'deferred' || entry.lock) throw messageNotFound()
    const token = store.lock(entry)
    return types.wrap_map({ 'lock-token': types.wrap_uuid(token), message: types.wrap_binary(shown(entry)) })
  })
  return { status: 200, body: { messages: types.wrap_list(found) } }
}

function schedule(body: Body, { namespace, path }: Place): Answer {
  const messages = body['messages'] as readonly { readonly message: Buffer }[]
  const sequences = messages.flatMap(({ message }) => namespace.send(path, message))
  return { status: 200, body: { 'sequence-numbers': types.wrap_array(sequences, 0x81, undefined) } }
}

function cancelScheduled(body: Body, store: MessageStore): Answer {
  for (const sequence of numbersOf(body)) {
    const entry = store.get(sequence)
    if (entry?.state !== 'scheduled') throw messageNotFound()
    store.remove(entry)
  }
  return done
}

function aboutSession(operation: string, body: Body, { sessions }: Queue): Answer {
  const id = String(body['session-id'])
  if (operation.endsWith('renew-session-lock'))
    return { status: 200, body: { expiration: types.wrap_timestamp(sessions.renew(id)) } }
  if (operation.endsWith('set-session-state')) {
    sessions.setState(id, body['session-state'] as Buffer | undefined)
    return done
  }
  const state = sessions.state(id)
  return { status: 200, body: { 'session-state': state === undefined ? types.wrap(null) : types.wrap_binary(state) } }
}

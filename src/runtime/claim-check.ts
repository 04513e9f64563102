import { createHash } from 'node:crypto'
import { type BodyReference, isSafeKey, readReference, writeReference } from '../core/body-reference.ts'
import { RedriveError } from '../core/errors.ts'
import { withHeaders } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'
import { objectWith, sizeWithin } from '../core/option-checks.ts'
import { badOption, readInnerOptions } from '../core/options.ts'
import { type BodyStore, bodyStoreVerbs } from '../core/ports.ts'
import type { Size } from '../core/size.ts'
import type { Platform } from './platform.ts'

/** Where a producer puts bodies that are too large to travel with their message. */
export interface CheckInOptions {
  readonly store: BodyStore
  /** Bodies with more bytes than this are stored. */
  readonly over?: Size
}

/** Where a consumer finds them. */
export interface CheckOutOptions {
  readonly store: BodyStore
  /** The largest body that is fetched: each handler that runs may hold one. */
  readonly atMost?: Size
}

export interface CheckIn {
  readonly store: BodyStore
  readonly over: number
}

export interface CheckOut {
  readonly store: BodyStore
  readonly atMost: number
}

const aStore = objectWith<BodyStore>(bodyStoreVerbs, "a store of bodies, such as folderStore({ folder: '/var/lib/bodies' })")
const size = sizeWithin({ min: '1B', max: '16GiB' })

/** `limit` is what the broker takes. */
export function resolveCheckIn(value: unknown, where: string, limit: number): CheckIn {
  const given = readInnerOptions(value, ['store', 'over'], where)
  const over = given.read('over', size, Math.min(256 * 1024, limit))
  if (over > limit) throw badOption(given.where('over'), over, `at most ${limit}, which is all that the broker takes`)
  return { store: given.required('store', aStore), over }
}

export function resolveCheckOut(value: unknown, where: string): CheckOut {
  const given = readInnerOptions(value, ['store', 'atMost'], where)
  return { store: given.required('store', aStore), atMost: given.read('atMost', size, 64 * 1024 ** 2) }
}

/** A message as it is sent, and how to take back what was stored for it. */
export interface CheckedIn {
  readonly message: Message
  readonly withdraw: () => Promise<void>
}

const travelsWhole = async (): Promise<void> => {}
const nothing = new Uint8Array()

/** The body is durable before its reference is sent: nobody finds a reference to what is not there yet. */
export async function checkIn(message: Message, { store, over }: CheckIn, { clock, newId }: Platform): Promise<CheckedIn> {
  const { body } = message
  if (body === null || body.byteLength <= over) return { message, withdraw: travelsWhole }
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  const reference: BodyReference = { key: `${day}.${newId()}`, bytes: body.byteLength, sha256: sha256(body) }
  if (!isSafeKey(reference.key)) throw new RedriveError('bad-option', 'platform.newId gives ids that are no name for a file')
  await reached(store.put(reference.key, body), 'written')
  const headers = withHeaders(message.headers, [[redriveHeaders.body, writeReference(reference)]])
  // What cannot be removed costs space until its time is over, and nothing else.
  const withdraw = async (): Promise<void> => void (await store.remove(reference.key).catch(() => {}))
  return { message: { ...message, body: nothing, headers }, withdraw }
}

/** Gets the body that a message refers to, or rejects with what is wrong with it. */
export type FetchBody = (message: Message) => Promise<Uint8Array>

export function createFetchBody(options: CheckOut | undefined): FetchBody {
  return async (message) => {
    const reference = readReference(message.headers)
    if (!reference)
      throw new RedriveError('invalid-message', `the header ${redriveHeaders.body} is no reference to a stored body`)
    if (!options) throw missing('this consumer has no claimCheck')
    const { store, atMost } = options
    if (reference.bytes > atMost) throw tooLarge(reference, atMost)
    const body = await reached(store.get(reference.key, reference.bytes), 'read')
    if (!body) throw missing('it is not in the store')
    if (!isIntact(body, reference)) throw new RedriveError('body-corrupt', 'the stored body is not the one that was sent')
    return body
  }
}

function isIntact(body: Uint8Array, { bytes, sha256: wanted }: BodyReference): boolean {
  return body.byteLength === bytes && sha256(body) === wanted
}

function sha256(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}

function missing(why: string): RedriveError {
  return new RedriveError('body-missing', `the body of the message stands in a store, and cannot be had: ${why}`)
}

function tooLarge({ bytes }: BodyReference, atMost: number): RedriveError {
  return new RedriveError('too-large', `the stored body has ${bytes} bytes, more than claimCheck.atMost, which is ${atMost}`)
}

async function reached<T>(call: Promise<T>, verb: 'written' | 'read'): Promise<T> {
  try {
    return await call
  } catch (cause) {
    if (cause instanceof RedriveError) throw cause
    throw new RedriveError('unreachable', `the store of bodies could not be ${verb}`, { cause })
  }
}

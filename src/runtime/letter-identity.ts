import { createHash, hash } from 'node:crypto'
import { textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'
import type { NewId } from '../core/ports.ts'
import type { Delivery } from '../transports/seam.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

const smallBody = 16_384
/** Where a small body and what stands before it are put together. */
const together = Buffer.alloc(2 * smallBody)

/**
 * The same id for every copy of one dead letter, however often a crash between sending and completing made us write it: from
 * where the message first stood, else from its id and body. Without either it is drawn, and two copies show as two letters.
 */
export function letterId(transport: string, delivery: Delivery, newId: NewId): string {
  const { message, address } = delivery
  const carried = textHeader(message.headers, redriveHeaders.letter)
  if (carried !== undefined) return carried
  const channel = textHeader(message.headers, redriveHeaders.originChannel) ?? address.name
  const position = textHeader(message.headers, redriveHeaders.originPosition) ?? delivery.position
  if (position !== undefined) return digest(['position', transport, channel, position])
  if (message.id !== undefined) return digest(['id', transport, channel, message.id], message.body)
  return newId()
}

/** The letter id of this turn. Found once: it may be drawn, and else the whole body is hashed for it. */
export function letterIdOf(turn: Turn, { transport, platform }: ChannelScope): string {
  turn.letter ??= letterId(transport.name, turn.delivery, platform.newId)
  return turn.letter
}

/** The same for all copies that have the same letter id, in the shape of a UUID (version 8), because dialects ask for one. */
export function derivedCorrelationId(letter: string): string {
  const hex = /^[0-9a-f]{32}$/.test(letter) ? letter : digest(['correlation', letter])
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

/**
 * What tells a broker that deduplicates that this copy was sent before. It names the delivery and not only the letter: a letter
 * that was sent back and fails again within the broker's window is a new copy, and would be lost if it were taken for the old.
 */
export function copyId(turn: Turn, letter: { readonly id: string } | undefined, scope: ChannelScope): string {
  const { delivery, attempt } = turn
  const { headers } = delivery.message
  const lives = [redriveHeaders.generation, redriveHeaders.replay].map((name) => textHeader(headers, name) ?? '')
  return digest([letter ? 'letter' : 'retry', letterIdOf(turn, scope), ...lives, delivery.position ?? '', String(attempt)])
}

export function bodyHash(message: Message): string {
  return createHash('sha256')
    .update(message.body ?? '')
    .digest('hex')
}

function digest(parts: readonly string[], body?: Uint8Array | null): string {
  const text = JSON.stringify(parts)
  return (body ? hashOfBoth(text, body) : hash('sha256', text)).slice(0, 32)
}

/** In one go where copying costs less than the steps. */
function hashOfBoth(text: string, body: Uint8Array): string {
  if (body.byteLength <= smallBody && text.length * 3 <= smallBody) {
    const length = together.write(text)
    together.set(body, length)
    return hash('sha256', together.subarray(0, length + body.byteLength))
  }
  return createHash('sha256').update(text).update(body).digest('hex')
}

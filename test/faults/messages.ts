import { createHash } from 'node:crypto'
import type { Message } from '../../src/core/message.ts'

/**
 * What the messages of a fault run are meant to do. The number is dense, 0 … N-1, so that observers can tick them off.
 *
 * - `good` succeeds at once, `flaky` at the second attempt, `bad` fails for good, `invalid` does not decode;
 * - `crash` kills every process that handles it.
 */
export type Kind = 'good' | 'flaky' | 'bad' | 'invalid' | 'crash'

export const faultChannels = { work: 'faults.work', deadLetter: 'faults.dead', invalid: 'faults.invalid' } as const

/** Mostly good, as in life; the others often enough that every kind is in flight at every kill. */
export function kindOf(number: number): Kind {
  if (number % 10 === 3) return 'flaky'
  if (number % 10 === 6) return 'bad'
  return number % 20 === 9 ? 'invalid' : 'good'
}

const keys = 40
const encoder = new TextEncoder()

export function faultMessage(number: number, kind: Kind = kindOf(number)): Message {
  const text = JSON.stringify({ number, kind, filler: createHash('sha256').update(String(number)).digest('hex') })
  const body = encoder.encode(kind === 'invalid' ? `${text} and no JSON` : text)
  return {
    id: `${number}`,
    type: 'fault',
    contentType: 'application/json',
    headers: [['tenant', 'acme']],
    body,
    // A message that fails keeps its place in its lane for a while; the others' order is judged without it.
    ...(kind === 'good' && { key: `k${number % keys}` }),
  }
}

export function laneOf(number: number): number | undefined {
  return kindOf(number) === 'good' ? number % keys : undefined
}

/** The number in a body that an observer found, when the body is what was sent; `undefined` for anything else. */
export function numberIn(body: Uint8Array | null): number | undefined {
  const number = Number(/^\{"number":(\d+),/.exec(new TextDecoder().decode(body ?? new Uint8Array()))?.[1])
  if (!Number.isInteger(number)) return undefined
  const candidates: readonly Kind[] = [kindOf(number), 'crash']
  const isGenuine = candidates.some((kind) => Buffer.from(faultMessage(number, kind).body ?? []).equals(body ?? new Uint8Array()))
  return isGenuine ? number : undefined
}

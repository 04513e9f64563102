import { names } from '../../src/core/dialects/letter-headers.ts'
import { redriveHeaders } from '../../src/core/letter.ts'
import type { Message } from '../../src/core/message.ts'
import { arrivalOf } from '../../src/ops/arrival-of.ts'
import type { Arrival } from '../../src/vault/arrival.ts'

const usualFiller = 'x'.repeat(900)
const texts = [
  'card declined by the bank',
  'the warehouse does not answer',
  'no such customer',
  'limit exceeded',
  'signature does not match',
]

export const causes = 200
export const firstFailedAt: number = Date.UTC(2026, 0, 1)

export const namesItsOrder = 1000

/** One of a thousand says which order it was about: somebody who has the number finds one letter. */
function descriptionOf(n: number): string {
  const text = texts[n % texts.length] ?? ''
  return n % namesItsOrder === 0 ? `${text}, order ${n}` : text
}

/** Letters of 1 KiB unless told, two hundred causes on forty channels, failed one second after another. */
export function letterMessage(n: number, filler: string = usualFiller): Message {
  return {
    id: `message-${n}`,
    type: 'order.placed',
    key: `customer-${n % 50_000}`,
    correlationId: `correlation-${n}`,
    body: Buffer.from(JSON.stringify({ order: n, filler })),
    headers: [
      ['tenant', `tenant-${n % 100}`],
      [redriveHeaders.letter, `letter-${n}`],
      [names.reason, 'NonRetryableError'],
      [names.errorType, `Error${n % causes}`],
      [names.description, descriptionOf(n)],
      [names.failedAt, new Date(firstFailedAt + n * 1000).toISOString()],
      [redriveHeaders.originChannel, `orders.${n % 40}`],
      [names.service, 'orders'],
      [names.version, '1.4.0'],
      [names.failedAttempts, '3'],
    ] as [string, string][],
  }
}

export function letter(n: number, filler?: string): Arrival {
  const found = {
    message: letterMessage(n, filler),
    channel: 'dlq.orders',
    deliveredBefore: false,
    broker: 'completing' as const,
  }
  return arrivalOf(found, firstFailedAt + n * 1000, new Uint8Array(8))
}

import { z } from 'zod'
import { type Consumer, defineMessage, type MessageDefinition } from '../../src/redrive.ts'

export const Parcel: MessageDefinition<{ id: string; to: string }> = defineMessage(
  'parcel.packed',
  z.object({ id: z.string(), to: z.string() }),
)

/** The carrier's interface, as the handler knows it. */
export interface Carrier {
  collect(parcel: string): Promise<void>
}

/** What is to be tested: three turns with growing pauses for a carrier that does not answer, and no second try for one that says no. */
export function ship(consumer: Consumer, carrier: Carrier): void {
  consumer
    .channel('parcel.packed', { deadLetter: 'dlq.parcel.packed', invalid: 'invalid.parcel.packed' })
    .on(Parcel, ({ id }) => carrier.collect(id), {
      retry: { immediate: 0, delayed: { retries: 2, backoff: { kind: 'exponential', first: '1m', max: '1h' } } },
    })
}

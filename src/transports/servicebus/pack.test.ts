import type { ServiceBusMessageBatch } from '@azure/service-bus'
import { expect, test } from 'vitest'
import { type Parcel, packOneKey } from './pack.ts'

/** A batch for so many messages, whose library does not know what is broken. */
function batchFor(most: number): ServiceBusMessageBatch {
  let free = most
  const tryAddMessage = ({ body }: { body: unknown }): boolean => {
    if (body === 'broken') throw new RangeError('It is out of range.')
    return free-- > 0
  }
  return { tryAddMessage } as unknown as ServiceBusMessageBatch
}

const refused: unknown[] = []
const parcel = (groupId: string, body: string): Parcel => ({
  message: { bodyType: 'value', body, properties: { groupId } },
  resolve() {},
  reject: ({ code }) => void refused.push(code),
})
const bodies = (parcels: readonly Parcel[]): unknown[] => parcels.map(({ message }) => message.body)

test('of a key that has more than fit, the rest goes behind others that have waited for longer', () => {
  const waiting = [parcel('red', 'a'), parcel('red', 'b'), parcel('blue', 'c'), parcel('red', 'd'), parcel('red', 'e')]
  const { parcels, rest, unfit } = packOneKey(waiting, batchFor(3))
  expect([bodies(parcels), bodies(rest), unfit]).toEqual([['a', 'b', 'd'], ['c', 'e'], undefined])
})

test('one that fits into no batch is told, and waits, wherever it stands behind one that cannot be encoded', () => {
  const waiting = [parcel('red', 'broken'), parcel('blue', 'b'), parcel('red', 'large')]
  const { parcels, rest, unfit } = packOneKey(waiting, batchFor(0))
  expect([bodies(parcels), bodies(rest), unfit?.message.body]).toEqual([[], ['b', 'large'], 'large'])
  expect(refused).toEqual(['bad-message'])
})

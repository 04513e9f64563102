import { expect, test } from 'vitest'
import { PermanentError, RetryableError } from '../../src/redrive.ts'
import { createTestBench, type TestBench } from '../../src/testing/testing.ts'
import { type Carrier, Parcel, ship } from './shipping.ts'

async function shipping(carrier: Carrier): Promise<TestBench> {
  const bench = createTestBench()
  const consumer = bench.consumer()
  ship(consumer, carrier)
  await consumer.start()
  return bench
}

const parcel = { id: 'p-1', to: 'Lisbon' }

test('a carrier that is back after three minutes gets the parcel', async () => {
  const bench = await shipping({
    async collect() {
      if (bench.clock.monotonic() < 3 * 60_000) throw new RetryableError('no answer')
    },
  })
  await bench.producer.send(Parcel, parcel)
  expect(await bench.waitFor('retried')).toMatchObject({ delayMs: 60_000 })
  expect(await bench.waitFor('retried')).toMatchObject({ delayMs: 120_000 })
  expect(await bench.waitFor('completed')).toMatchObject({ attempt: 3 })
})

test('a carrier that never answers costs three turns and one letter', async () => {
  const bench = await shipping({ collect: () => Promise.reject(new RetryableError('no answer')) })
  await bench.producer.send(Parcel, parcel)
  expect(await bench.waitFor('dead-lettered')).toMatchObject({ attempt: 3, reason: 'MaxDeliveryCountExceeded' })
  expect(await bench.messages('dlq.parcel.packed')).toHaveLength(1)
})

test('a carrier that says no is not asked twice', async () => {
  let asked = 0
  const bench = await shipping({
    collect() {
      asked++
      throw new PermanentError('we do not go there')
    },
  })
  await bench.producer.send(Parcel, parcel)
  await bench.waitFor('dead-lettered')
  expect(asked).toBe(1)
})

test('a letter waits while its dead-letter channel is down', async () => {
  const bench = await shipping({ collect: () => Promise.reject(new PermanentError('no')) })
  const repair = bench.transport.faults.refuse('dlq.parcel.packed')
  await bench.producer.send(Parcel, parcel)
  await bench.waitFor('dead-letter-failed')
  repair()
  await bench.waitFor('dead-lettered')
})

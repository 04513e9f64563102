import { expect, it } from 'vitest'
import { gate } from '../../test/testing-world.ts'
import { virtualClock } from '../platform/virtual-clock.ts'
import type { Context } from '../runtime/context.ts'
import { defineMessage } from '../runtime/define-message.ts'
import { createTestBench, type TestBench } from '../testing/testing.ts'
import { memoryInbox, skipProcessed } from './memory-inbox.ts'

const Job = defineMessage<number>('job')
const message = (id: string) => ({ message: { id, body: null, headers: [] } })

async function consuming(handler: (run: number, context: Context) => unknown): Promise<TestBench> {
  const bench = createTestBench()
  const consumer = bench.consumer().use(skipProcessed(memoryInbox({ clock: bench.clock })))
  let runs = 0
  consumer.channel('job', { deadLetter: 'dead' }).on(Job, (_, context) => handler(++runs, context))
  await consumer.start()
  return bench
}

it('lets a message that was processed complete without a run', async () => {
  const runs: number[] = []
  const bench = await consuming((run) => runs.push(run))
  await bench.producer.send(Job, 1, { id: 'same' })
  await bench.waitFor('completed')
  await bench.producer.send(Job, 1, { id: 'same' })
  await bench.waitFor('completed')
  expect(runs).toEqual([1])
})

it('lets a message whose twin is being processed come back later', async () => {
  const working = gate()
  const bench = await consuming((run) => (run > 4 ? working.promise : undefined))
  // A consumer starts with one message at a time, and takes more when these went well.
  for (let run = 1; run <= 4; run++) await bench.producer.send(Job, run)
  for (let run = 1; run <= 4; run++) await bench.waitFor('completed')
  for (let copy = 0; copy < 2; copy++) await bench.producer.send(Job, 1, { id: 'same' })
  expect(await bench.waitFor('retried')).toMatchObject({ delayMs: 1000 })
  working.resolve()
  await bench.waitFor('completed')
  await bench.waitFor('completed')
})

it('lets a message that failed run again', async () => {
  const bench = await consuming((run) => {
    if (run === 1) throw new Error('once')
  })
  await bench.producer.send(Job, 1, { id: 'same' })
  await bench.waitFor('completed')
})

it('lets a message run again whose handler asked for that and caught what asking throws', async () => {
  const runs: number[] = []
  const bench = await consuming((run, context) => {
    runs.push(run)
    try {
      if (run === 1) context.retry({ delay: '1s' })
    } catch {
      // As a handler does that catches everything.
    }
  })
  await bench.producer.send(Job, 1, { id: 'same' })
  await bench.waitFor('completed')
  expect(runs).toEqual([1, 2])
})

it('forgets after a while', async () => {
  const clock = virtualClock()
  const inbox = memoryInbox({ keep: '1m', clock })
  inbox.claim(message('a'))
  inbox.done(message('a'))
  expect(inbox.claim(message('a'))).toBe('done')
  await clock.advance(60_000)
  expect(inbox.claim(message('a'))).toBe('first')
})

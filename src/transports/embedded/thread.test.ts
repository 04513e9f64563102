import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { WantedChannel } from '../topology.ts'
import { gather, labels, message, openQueue, work } from './queue.fixture.ts'

/** Every worker thread that this process starts from now on. */
function startedWorkers(): Worker[] {
  const workers: Worker[] = []
  const remember = (started: unknown) => void workers.push((started as { worker: Worker }).worker)
  subscribe('worker_threads', remember)
  onTestFinished(() => void unsubscribe('worker_threads', remember))
  return workers
}

test('a writer thread that dies leaves its callers unsure, and the next call has a new one', async () => {
  const workers = startedWorkers()
  const transport = await openQueue()
  await transport.send(work, message('before'))
  const inFlight = transport.send(work, message('during')).then(
    () => 'sent',
    (error: { code: string }) => error.code,
  )
  await Promise.all(workers.map((worker) => worker.terminate()))
  expect(['sent', 'unsure']).toContain(await inFlight)
  await transport.send(work, message('after'))
  const receiver = await transport.receive(work, { prefetch: 10, hold: 60_000 })
  const came = await gather(receiver, (await transport.measure(work)).retained)
  expect(labels(came)).toEqual(expect.arrayContaining(['before', 'after']))
  expect(workers.length).toBeGreaterThan(1)
})

test('deliveries outlive the thread that claimed them', async () => {
  const workers = startedWorkers()
  const transport = await openQueue()
  await transport.send(work, message('a'))
  const [delivery] = await gather(await transport.receive(work, { prefetch: 1, hold: 60_000 }), 1)
  await Promise.all(workers.map((worker) => worker.terminate()))
  if (delivery) await transport.settle(delivery, { kind: 'complete' })
  expect(await transport.measure(work)).toMatchObject({ retained: 0 })
})

/** What no thread can be sent: a topology that is not plain data. */
const unsendable = { channels: [{ address: work, role: 'work', note: () => {} } as WantedChannel] }
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  )

test('a write that cannot be sent to the thread fails with its batch, and every other call gets its own answer', async () => {
  const transport = await openQueue()
  const underWay = outcomeOf(transport.send(work, message('under way')))
  await new Promise((resolve) => setImmediate(resolve))
  const batch = Array.from({ length: 100 }, (_, n) => outcomeOf(transport.send(work, message(String(n)))))
  const unsent = outcomeOf(transport.provision(unsendable, 'apply'))
  await new Promise((resolve) => setImmediate(resolve))
  const later = outcomeOf(transport.send({ name: 'nowhere' }, message('later')))
  expect(new Set(await Promise.all([...batch, unsent]))).toEqual(new Set(['unreachable']))
  expect([await underWay, await later]).toEqual(['done', 'unknown-channel'])
  expect(await transport.measure(work)).toMatchObject({ retained: 1 })
})

test('a question that cannot be sent to the thread fails alone', async () => {
  const transport = await openQueue()
  expect(await outcomeOf(transport.provision(unsendable, 'check'))).toBe('unreachable')
  expect(await transport.measure(work)).toMatchObject({ retained: 0 })
})

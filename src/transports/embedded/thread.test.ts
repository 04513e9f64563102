import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
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

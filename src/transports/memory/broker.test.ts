import { expect, test } from 'vitest'
import type { Message } from '../../core/message.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Delivery } from '../seam.ts'
import type { WantedChannel } from '../topology.ts'
import { memory } from './memory.ts'

const work = { name: 'work' }
const dead = { name: 'dead' }
const message = (id: string, key?: string): Message => ({ id, body: new Uint8Array(0), headers: [], ...(key && { key }) })
const ids = (batch: readonly Delivery[]): (string | undefined)[] => batch.map((delivery) => delivery.message.id)

async function opened(wanted: Partial<WantedChannel> = {}) {
  const clock = virtualClock()
  const transport = memory({ clock })
  const channels: WantedChannel[] = [
    { address: work, role: 'work', ...wanted },
    { address: dead, role: 'dead-letter' },
  ]
  await transport.provision({ channels }, 'apply')
  return { clock, transport, receiver: await transport.receive(work, { prefetch: 10, hold: 60_000 }) }
}

test('a deduplication id is forgotten when its window is over', async () => {
  const { clock, transport } = await opened()
  await transport.send(work, message('one'), { dedupId: 'd' })
  await clock.advance(599_999)
  expect(await transport.send(work, message('one'), { dedupId: 'd' })).toMatchObject({ duplicate: true })
  await clock.advance(1)
  expect(await transport.send(work, message('one'), { dedupId: 'd' })).toMatchObject({ duplicate: false })
})

test('a message does not expire under its holder, and does when it comes back', async () => {
  const { clock, transport, receiver } = await opened({ ttl: 1000, deadLetterTo: dead })
  await transport.send(work, message('one'))
  const [delivery] = await receiver.take(1, 0)
  await clock.advance(5000)
  expect(await transport.measure(dead)).toMatchObject({ retained: 0 })
  await transport.settle(delivery ?? expect.unreachable(), { kind: 'release' })
  await clock.advance(1)
  expect([await transport.measure(work), await transport.measure(dead)]).toMatchObject([{ retained: 0 }, { retained: 1 }])
  const { messages } = await transport.browse(dead, { limit: 1 })
  expect(messages[0]?.message.headers).toContainEqual(['redrive-reason', 'Expired'])
})

test('what expires stays where it is while its dead-letter channel does not exist', async () => {
  const { clock, transport } = await opened({ ttl: 1000, deadLetterTo: { name: 'later' } })
  await transport.send(work, message('one'))
  await clock.advance(1500)
  expect(await transport.measure(work)).toMatchObject({ retained: 1 })
  await transport.provision({ channels: [{ address: { name: 'later' }, role: 'dead-letter' }] }, 'apply')
  await clock.advance(1000)
  expect(await transport.measure({ name: 'later' })).toMatchObject({ retained: 1 })
})

test('a jump of the wall clock neither expires a message nor ends a hold', async () => {
  const { clock, transport, receiver } = await opened({ ttl: 10_000, deadLetterTo: dead })
  await transport.send(work, message('one'))
  await transport.send(work, message('two'))
  await receiver.take(1, 0)
  clock.jump(3_600_000)
  await clock.advance(9000)
  expect(ids(await receiver.take(10, 0))).toEqual(['two'])
})

test('a reject with nowhere to go is refused, and the delivery stays ours', async () => {
  const { transport, receiver } = await opened()
  await transport.send(work, message('one'))
  const [delivery = expect.unreachable()] = await receiver.take(1, 0)
  const failure = { reason: 'x', description: '', errorType: '', class: 'permanent', at: 0, attempts: 1, deliveries: 1 } as const
  await expect(transport.settle(delivery, { kind: 'reject', failure })).rejects.toMatchObject({ code: 'bad-topology' })
  await transport.settle(delivery, { kind: 'complete' })
})

test('a receiver may take its lane further while it holds some of it, also behind a retry', async () => {
  const { clock, transport, receiver } = await opened({ lanes: true })
  for (const id of ['k1', 'k2', 'k3']) await transport.send(work, message(id, 'k'))
  const [first = expect.unreachable()] = await receiver.take(2, 0)
  await transport.settle(first, { kind: 'retry', delay: 100 })
  expect(await receiver.take(10, 0)).toEqual([])
  await clock.advance(100)
  expect(ids(await receiver.take(10, 0))).toEqual(['k1', 'k3'])
})

test('a busy lane does not starve the others', async () => {
  const { transport, receiver } = await opened({ lanes: true })
  for (let index = 0; index < 50; index++) await transport.send(work, message(`busy${index}`, 'busy'))
  await transport.send(work, message('quiet', 'quiet'))
  expect(ids(await receiver.take(2, 0))).toEqual(['busy0', 'quiet'])
})

test('a delayed message does not hold up its lane before it is due', async () => {
  const { clock, transport, receiver } = await opened({ lanes: true })
  await transport.send(work, message('reminder', 'k'), { delay: 1000 })
  await transport.send(work, message('update', 'k'))
  expect(ids(await receiver.take(10, 0))).toEqual(['update'])
  await clock.advance(1000)
  expect(ids(await receiver.take(10, 0))).toEqual(['reminder'])
})

test('a second take while one waits is refused', async () => {
  const { receiver } = await opened()
  const waiting = receiver.take(1, 60_000)
  await expect(receiver.take(1, 0)).rejects.toMatchObject({ code: 'not-running' })
  await receiver.close()
  expect(await waiting).toEqual([])
})

test('provisioning names every difference', async () => {
  const { transport } = await opened({ ttl: 1000 })
  const wanted = { address: work, role: 'work', deadLetterTo: dead, lanes: true } as const
  const findings = await transport.provision({ channels: [wanted] }, 'check')
  expect(findings.map(({ severity, what }) => [severity, what])).toEqual([
    ['fatal', 'expiry-loses'],
    ['warning', 'ttl-differs'],
    ['warning', 'lanes-differ'],
  ])
})

test.each([
  [{ clok: virtualClock() }, 'unknown-option', 'Did you mean "clock"?'],
  [{ clock: Date }, 'bad-option', 'a clock'],
  [{ faults: {} }, 'bad-option', 'createFaults()'],
  [{ maxBody: '16MiB' }, 'bad-option', 'maxBody is "16MiB"'],
])('the options %o are refused: %s', (options, code, says) => {
  expect(() => memory(options as never)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }))
})

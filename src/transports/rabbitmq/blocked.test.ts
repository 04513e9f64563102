import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { createVhost, type Vhost } from '../../../test/brokers/rabbitmq.ts'
import type { Transport } from '../seam.ts'
import { type RabbitmqOptions, rabbitmq } from './rabbitmq.ts'

/** A broker that is short of memory stops to read from connections that publish, and says so by connection.blocked. */
const work = { name: 'work' }
/** Bounds what hangs, and not what is slow. Milliseconds. */
const patience = 100_000
const message = (label: string) => ({ body: Buffer.from(label), headers: [] })
const labels = Array.from({ length: 50 }, (_, index) => `during-${index}`)

await onBrokers('rabbitmq', ['4.0'], (broker) => {
  const opened: Transport[] = []
  const shortOfMemory = (): Promise<void> => broker.control('set_vm_memory_high_watermark', 'absolute', '1')
  const well = (): Promise<void> => broker.control('set_vm_memory_high_watermark', '0.6')
  afterEach(well)
  afterAll(() => Promise.all(opened.map((transport) => transport.close())))

  function open(vhost: Vhost, options: Partial<RabbitmqOptions> = {}): Transport {
    const transport = rabbitmq({ url: vhost.url, ...options })
    opened.push(transport)
    return transport
  }

  async function create(transport: Transport): Promise<void> {
    await transport.provision({ channels: [{ address: work, role: 'work' }] }, 'apply')
  }

  /** Takes and completes until all of these came; gives everything that did. */
  async function consume(transport: Transport, wanted: readonly string[]): Promise<string[]> {
    const receiver = await transport.receive(work, { prefetch: 100, hold: 30_000 })
    const bodies: string[] = []
    await vi.waitFor(async () => {
      for (const delivery of await receiver.take(100, 1000)) {
        await transport.settle(delivery, { kind: 'complete' })
        bodies.push(String(delivery.message.body))
      }
      expect(bodies).toEqual(expect.arrayContaining([...wanted]))
    }, patience)
    await receiver.close()
    return bodies
  }

  const untilBlocked = (vhost: Vhost): Promise<void> =>
    vi.waitFor(async () => {
      const states = (await vhost.manage('GET', `vhosts/${vhost.name}/connections`)) as { readonly state: string }[]
      expect(states.map(({ state }) => state)).toContain('blocked')
    }, patience)

  /** The broker stops to read when it is sent something, some time after the alarm. Gives the send that waits. */
  async function sendUntilBlocked(transport: Transport, vhost: Vhost): Promise<{ readonly waiting: Promise<unknown> }> {
    const blocked = untilBlocked(vhost)
    for (;;) {
      const waiting = transport.send(work, message('first'))
      const first = await Promise.race([waiting.then(() => 'taken'), blocked])
      if (first !== 'taken') return { waiting }
    }
  }

  describe('while the broker is short of memory', { timeout: 480_000 }, () => {
    test('sends wait, consuming goes on, and what waited arrives once when it is well again', async () => {
      const vhost = await createVhost(broker)
      const transport = open(vhost, { answerWithin: '5m' })
      await create(transport)
      for (const label of ['before-0', 'before-1']) await transport.send(work, message(label))
      await shortOfMemory()
      const { waiting } = await sendUntilBlocked(transport, vhost)
      let confirmed = 0
      const sending = labels.map(async (label) => {
        await transport.send(work, message(label))
        confirmed++
      })
      await consume(transport, ['before-0', 'before-1'])
      expect(confirmed).toBe(0)
      await well()
      await Promise.all([waiting, ...sending])
      const bodies = await consume(transport, labels)
      expect(bodies.filter((body) => body !== 'first').sort()).toEqual([...labels].sort())
      await vi.waitFor(async () => expect(await transport.measure(work)).toMatchObject({ retained: 0 }), patience)
    })

    test('a send that may not wait for long says why, and nothing of it was written', async () => {
      const vhost = await createVhost(broker)
      const [patient, hasty] = [open(vhost), open(vhost, { answerWithin: '1s' })]
      await create(patient)
      await shortOfMemory()
      const isShort = { code: 'unreachable', message: expect.stringContaining('short of memory or disk space') }
      const codes: string[] = []
      await vi.waitFor(async () => {
        const error = await hasty.send(work, message('first')).catch((thrown) => thrown)
        codes.push(error?.code ?? 'taken')
        expect(error).toMatchObject(isShort)
      }, patience)
      // Whether the broker took the one by which it noticed, nobody knows.
      expect(codes.slice(0, -1)).toContain('unsure')
      for (const label of ['second', 'third']) await expect(hasty.send(work, message(label))).rejects.toMatchObject(isShort)
      await well()
      await vi.waitFor(() => patient.send(work, message('after')), patience)
      const bodies = await consume(patient, ['after'])
      expect(bodies.filter((body) => body !== 'first')).toEqual(['after'])
    })
  })
})

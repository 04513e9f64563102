import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../../scripts/brokers/ports.ts'
import { brokerForTests } from '../../../test/brokers/broker-for-tests.ts'
import { makeCertificates } from '../../../test/brokers/certificates.ts'
import { rabbitmqVersions } from '../../../test/brokers/rabbitmq-subjects.ts'
import type { Transport } from '../seam.ts'
import { type RabbitmqOptions, rabbitmq } from './rabbitmq.ts'

/** What cannot be mended by waiting is told at once, however long a call may wait. */
const patient = { connectWithin: '10m' } as const
const work = { name: 'work' }

for (const version of rabbitmqVersions) {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-tls-'))
  const ours = makeCertificates(folder, 'ours')
  const others = makeCertificates(folder, 'others')
  const [port] = await freePorts(1)
  const broker = await brokerForTests('rabbitmq', version, {
    folder,
    settings: [
      `listeners.ssl.1 = 127.0.0.1:${port}`,
      `ssl_options.cacertfile = ${ours.files.ca}`,
      `ssl_options.certfile = ${ours.files.cert}`,
      `ssl_options.keyfile = ${ours.files.key}`,
    ],
  })
  if ('notRun' in broker) {
    test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
    continue
  }
  const opened: Transport[] = []
  afterAll(async () => {
    await Promise.all(opened.map((transport) => transport.close()))
    await broker.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const open = (options: RabbitmqOptions): Transport => {
    const transport = rabbitmq(options)
    opened.push(transport)
    return transport
  }
  const url = `amqps://guest:guest@127.0.0.1:${port}`

  describe(`RabbitMQ ${version} over TLS`, () => {
    test('a broker whose authority is trusted takes and gives messages', async () => {
      const transport = open({ url, tls: { ca: ours.ca } })
      await transport.provision({ channels: [{ address: work, role: 'work' }] }, 'apply')
      await transport.send(work, { body: Buffer.from('secret'), headers: [] })
      const receiver = await transport.receive(work, { prefetch: 1, hold: 30_000 })
      const [delivery] = await receiver.take(1, 15_000)
      expect(String(delivery?.message.body)).toBe('secret')
    })

    test.each<[string, RabbitmqOptions]>([
      ['whose authority is another', { url, tls: { ca: others.ca } }],
      ['whose authority nobody vouches for', { url }],
      ['that has another name', { url, tls: { ca: ours.ca, servername: 'broker.example' } }],
    ])('a broker %s is not trusted, and is told nothing', async (_, options) => {
      await expect(open({ ...patient, ...options }).measure(work)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringMatching(
          /^The certificate of 127\.0\.0\.1:\d+ is not trusted \([A-Z_]+\); give its authority as tls\.ca\.$/,
        ),
      })
    })

    test('a client that does not speak TLS is told that the broker expects it', async () => {
      const plain = open({ url: url.replace('amqps:', 'amqp:'), connectWithin: '10s' })
      await expect(plain.measure(work)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('perhaps it expects TLS: use amqps://'),
      })
    })

    test('a client that speaks TLS to the plain port is told that nobody does there', async () => {
      const confused = open({ ...patient, url: broker.url.replace('amqp:', 'amqps:'), tls: { ca: ours.ca } })
      await expect(confused.measure(work)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('does not speak TLS'),
      })
    })
  })
}

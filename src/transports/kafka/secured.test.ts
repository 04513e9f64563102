import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../../scripts/brokers/ports.ts'
import { brokerForTests } from '../../../test/brokers/broker-for-tests.ts'
import { makeCertificates } from '../../../test/brokers/certificates.ts'
import type { Transport } from '../seam.ts'
import { type KafkaOptions, kafka } from './kafka.ts'

const folder = mkdtempSync(join(tmpdir(), 'redrive-secured-'))
const ours = makeCertificates(folder, 'ours')
const others = makeCertificates(folder, 'others')
const keystore = join(folder, 'keystore.pem')
writeFileSync(keystore, readFileSync(ours.files.key, 'utf8') + readFileSync(ours.files.cert, 'utf8'))
const [port] = await freePorts(1)
const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_worker="open sesame";'
const broker = await brokerForTests('kafka', '4.3.1', {
  settings: [
    `listeners={listeners},SECURED://127.0.0.1:${port}`,
    `advertised.listeners={advertised},SECURED://127.0.0.1:${port}`,
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'listener.name.secured.ssl.keystore.type=PEM',
    `listener.name.secured.ssl.keystore.location=${keystore}`,
    'listener.name.secured.sasl.enabled.mechanisms=PLAIN',
    `listener.name.secured.plain.sasl.jaas.config=${login}`,
  ],
})

if ('notRun' in broker) test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
else {
  const opened: Transport[] = []
  const open = (options: Partial<KafkaOptions>): Transport => {
    const transport = kafka({ bootstrapServers: `127.0.0.1:${port}`, groupId: 'secured', answerWithin: '10s', ...options })
    opened.push(transport)
    return transport
  }
  const sasl = { mechanism: 'PLAIN', username: 'worker', password: 'open sesame' } as const
  const work = { name: 'work' }
  afterAll(async () => {
    await Promise.all(opened.map((transport) => transport.close()))
    await broker.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  describe(`Kafka ${broker.version} over TLS with SASL`, { timeout: 360_000 }, () => {
    test('whoever is trusted and knows the password sends and receives', async () => {
      const transport = open({ tls: { ca: ours.ca }, sasl })
      await transport.provision({ channels: [{ address: work, role: 'work' }] }, 'apply')
      await transport.send(work, { body: Buffer.from('secret'), headers: [] })
      const receiver = await transport.receive(work, { prefetch: 1, hold: 1000 })
      const [delivery] = await receiver.take(1, 30_000)
      expect(Buffer.from(delivery?.message.body ?? []).toString()).toBe('secret')
    })

    test('a wrong password is access-denied, and is not shown', async () => {
      const transport = open({ tls: { ca: ours.ca }, sasl: { ...sasl, password: 'wrong horse' } })
      await expect(transport.measure(work)).rejects.toMatchObject({
        code: 'access-denied',
        message: expect.not.stringContaining('wrong horse'),
      })
    })

    test('a broker that nobody vouches for is unreachable', async () => {
      const transport = open({ tls: { ca: others.ca }, sasl })
      await expect(transport.measure(work)).rejects.toMatchObject({ code: 'unreachable' })
    })
  })
}

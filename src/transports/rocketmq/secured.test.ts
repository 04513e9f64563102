import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { brokerForTests } from '../../../test/brokers/broker-for-tests.ts'
import { makeCertificates } from '../../../test/brokers/certificates.ts'
import { next } from '../../../test/taken.ts'
import { until } from '../../../test/until.ts'
import type { Transport } from '../seam.ts'
import { examine } from './examine.ts'
import { type RocketmqOptions, rocketmq } from './rocketmq.ts'

const folder = mkdtempSync(join(tmpdir(), 'redrive-secured-'))
const ours = makeCertificates(folder, 'ours')
const others = makeCertificates(folder, 'others')
const user = { accessKey: 'worker', secretKey: 'open sesame' }
const provider = 'org.apache.rocketmq.auth'

/** Nobody is answered in the clear; name server and broker trust each other without asking who they are. */
const tls = [
  ...['-Dtls.server.mode=enforcing', '-Dtls.enable=true', '-Dtls.test.mode.enable=false'],
  ...[`-Dtls.server.certPath=${ours.files.cert}`, `-Dtls.server.keyPath=${ours.files.key}`],
  'proxy.tlsTestModeEnable=false',
  `proxy.tlsCertPath=${JSON.stringify(ours.files.cert)}`,
  `proxy.tlsKeyPath=${JSON.stringify(ours.files.key)}`,
]

/** One user, who may do everything. */
const acl = [
  'authenticationEnabled=true',
  `authenticationProvider=${provider}.authentication.provider.DefaultAuthenticationProvider`,
  `authenticationMetadataProvider=${provider}.authentication.provider.LocalAuthenticationMetadataProvider`,
  `initAuthenticationUser=${JSON.stringify({ username: user.accessKey, password: user.secretKey })}`,
  `innerClientAuthenticationCredentials=${JSON.stringify(user)}`,
  'authorizationEnabled=true',
  `authorizationProvider=${provider}.authorization.provider.DefaultAuthorizationProvider`,
  `authorizationMetadataProvider=${provider}.authorization.provider.LocalAuthorizationMetadataProvider`,
  'proxy.authenticationEnabled=true',
  `proxy.authenticationProvider="${provider}.authentication.provider.DefaultAuthenticationProvider"`,
  'proxy.authenticationMetadataProvider="org.apache.rocketmq.proxy.auth.ProxyAuthenticationMetadataProvider"',
  `proxy.innerClientAuthenticationCredentials=${JSON.stringify(JSON.stringify(user))}`,
  'proxy.authorizationEnabled=true',
  `proxy.authorizationProvider="${provider}.authorization.provider.DefaultAuthorizationProvider"`,
  'proxy.authorizationMetadataProvider="org.apache.rocketmq.proxy.auth.ProxyAuthorizationMetadataProvider"',
]
const broker = await brokerForTests('rocketmq', '5.5.0', { settings: [...tls, ...acl] })

if ('notRun' in broker) test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
else {
  const opened: Transport[] = []
  const urlFor = ({ accessKey, secretKey }: typeof user): string =>
    broker.url.replace('rocketmq://', `rocketmqs://${encodeURIComponent(accessKey)}:${encodeURIComponent(secretKey)}@`)
  const open = (options: Partial<RocketmqOptions> = {}): Transport => {
    const transport = rocketmq({ url: urlFor(user), tls: { ca: ours.ca }, pollFor: '500ms', ...options })
    opened.push(transport)
    return transport
  }
  const work = { name: 'work' }
  const letter = { body: Buffer.from('secret'), headers: [] }
  afterAll(async () => {
    await Promise.all(opened.map((transport) => transport.close()))
    await broker.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  describe(`RocketMQ ${broker.version} over TLS with ACL`, { timeout: 360_000 }, () => {
    test('whoever is trusted and knows the secret provides, sends, receives, extends, retries, completes, counts and browses', async () => {
      const transport = open()
      await transport.provision({ channels: [{ address: work, role: 'work' }] }, 'apply')
      await transport.send(work, letter)
      const receiver = await transport.receive(work, { prefetch: 1, hold: 30_000 })
      const first = await next(receiver)
      await transport.extend(first, 30_000)
      await transport.settle(first, { kind: 'retry', delay: 0 })
      const again = await next(receiver)
      expect([Buffer.from(again.message.body ?? []).toString(), again.turns]).toEqual(['secret', 1])
      await transport.settle(again, { kind: 'complete' })
      await until('it is counted as done', async () => (await transport.measure(work)).pending === 0)
      expect((await transport.browse(work, { limit: 10 })).messages).toHaveLength(1)
    })

    test('the doctor is answered as well', async () => {
      const patient = { wanted: { channels: [{ address: work, role: 'work' }] }, channels: [] } as const
      const told = await examine({ url: urlFor(user), tls: { ca: ours.ca } }, patient)
      expect(told.map(({ severity, what }) => `${severity} ${what}`)).toContain('fine topic')
    })

    test('a wrong secret is access-denied by proxy and broker, and is not shown', async () => {
      const transport = open({ url: urlFor({ ...user, secretKey: 'wrong horse' }) })
      const denied = { code: 'access-denied', message: expect.not.stringContaining('wrong horse') }
      await expect(transport.send(work, letter)).rejects.toMatchObject(denied)
      await expect(transport.measure(work)).rejects.toMatchObject(denied)
    })

    test('whoever does not say who they are is denied', async () => {
      const transport = open({ url: broker.url.replace('rocketmq://', 'rocketmqs://') })
      await expect(transport.send(work, letter)).rejects.toMatchObject({ code: 'access-denied' })
      await expect(transport.measure(work)).rejects.toMatchObject({ code: 'access-denied' })
    })

    test('servers that nobody vouches for are unreachable', async () => {
      const transport = open({ tls: { ca: others.ca } })
      await expect(transport.send(work, letter)).rejects.toMatchObject({ code: 'unreachable' })
      await expect(transport.measure(work)).rejects.toMatchObject({ code: 'unreachable' })
    })

    test('nobody is answered in the clear', async () => {
      const transport = rocketmq({ url: urlFor(user).replace('rocketmqs:', 'rocketmq:'), answerWithin: '5s' })
      opened.push(transport)
      await expect(transport.send(work, letter)).rejects.toThrow()
      await expect(transport.measure(work)).rejects.toThrow()
    })
  })
}

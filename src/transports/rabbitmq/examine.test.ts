import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import amqp from 'amqplib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { createVhost, leastUser, type Vhost } from '../../../test/brokers/rabbitmq.ts'
import { rabbitmqVersions } from '../../../test/brokers/rabbitmq-subjects.ts'
import type { PatientChannel } from '../tools.ts'
import type { WantedChannel } from '../topology.ts'
import { version } from './diagnoses.ts'
import { examine } from './examine.ts'
import { type RabbitmqOptions, rabbitmq } from './rabbitmq.ts'

const dead: WantedChannel = { address: { name: 'dead' }, role: 'dead-letter' }
const work: WantedChannel = { address: { name: 'work' }, role: 'work', deadLetterTo: dead.address, maxTurns: 3 }
const usual: PatientChannel = { wanted: work, deadLettering: 'annotated', onDeadLetterFailure: 'hold', maxHold: 900_000 }

await onBrokers('rabbitmq', rabbitmqVersions, (broker, release) => {
  describe(`the doctor of RabbitMQ ${release}`, { timeout: 240_000 }, () => doctor(broker))
})

test.each([
  ['3.9.29', 'warning version-untested'],
  ['3.10.8', 'fine version'],
  ['4.0.5', 'fine version'],
  ['4.10.0', 'fine version'],
])('version %s is a %s', (found, expected) => {
  const { severity, what } = version(found)
  expect(`${severity} ${what}`).toBe(expected)
})

function doctor(broker: Broker): void {
  let vhost: Vhost
  beforeAll(async () => {
    vhost = await createVhost(broker)
  })

  /** What the doctor says of a virtual host in which a channel and its dead-letter queue were applied. */
  async function says(channel: Partial<PatientChannel> = {}, options: Partial<RabbitmqOptions> = {}): Promise<string[]> {
    const patient = { ...usual, ...channel }
    const wanted = { channels: [dead, patient.wanted] }
    const { management: _, ...ofTheOwner } = { ...options, url: vhost.url }
    const transport = rabbitmq(ofTheOwner)
    await transport.provision(wanted, 'apply')
    await transport.close()
    const names = wanted.channels.map(({ address }) => address.name)
    const { url, management } = await leastUser(vhost, broker, { own: names })
    const connection = { url, management, ...options }
    return (await examine(connection, { wanted, channels: [patient] })).map(({ severity, what }) => `${severity} ${what}`)
  }
  const fresh = async (): Promise<void> => {
    vhost = await createVhost(broker)
  }

  test('has nothing to say against what we make ourselves, and says what it cannot know', async () => {
    await fresh()
    expect(await says()).toEqual([
      'fine version',
      'fine alarms',
      'fine topology',
      'fine topology',
      'unknown consumer-timeout-unseen',
      'fine rights',
    ])
  })

  test('changes nothing', async () => {
    await fresh()
    const connection = { url: vhost.url, management: vhost.management }
    await examine(connection, { wanted: { channels: [dead, work] }, channels: [usual] })
    expect(await vhost.manage('GET', `queues/${vhost.name}`)).toEqual([])
  })

  test('warns that native dead-lettering on a classic queue can lose, and only there', async () => {
    await fresh()
    expect(await says({ deadLettering: 'native' }, { queueType: 'classic' })).toContain('warning native-can-lose')
    expect(await says({ deadLettering: 'annotated' }, { queueType: 'classic' })).not.toContain('warning native-can-lose')
    await fresh()
    expect(await says({ deadLettering: 'native' })).not.toContain('warning native-can-lose')
  })

  test('warns of a quorum queue that dead-letters at most once', async () => {
    await fresh()
    const deadLetters = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' }
    const options = { durable: true, arguments: { 'x-queue-type': 'quorum', ...deadLetters } }
    await vhost.barely((channel) => channel.assertQueue('work', options))
    const told = await says({ deadLettering: 'native' })
    expect(told).toEqual(expect.arrayContaining(['warning dead-letter-at-most-once', 'warning native-can-lose']))
  })

  test('warns of a delivery limit that leaves no room above the turns', async () => {
    await fresh()
    await vhost.manage('PUT', `policies/${vhost.name}/tight`, {
      pattern: '^work$',
      definition: { 'delivery-limit': 12 },
      'apply-to': 'queues',
    })
    expect(await says()).toEqual(expect.arrayContaining(['warning delivery-limit-low', 'warning policy-overrides']))
    expect(await says({ wanted: { ...work, maxTurns: 2 } })).not.toContain('warning delivery-limit-low')
  })

  test('warns of a time to live that is over before a hold is', async () => {
    await fresh()
    const short = { ...work, ttl: 300_000 }
    expect(await says({ wanted: short })).toContain('warning ttl-below-hold')
    expect(await says({ wanted: short, maxHold: 240_000 })).not.toContain('warning ttl-below-hold')
    expect(await says({ wanted: short, onDeadLetterFailure: 'drop' })).not.toContain('warning ttl-below-hold')
  })

  test('warns of a hold that outlives the consumer timeout', async () => {
    await fresh()
    const finding = 'warning hold-outlives-consumer-timeout'
    expect(await says({ maxHold: 3_600_000 })).toContain(finding)
    expect(await says({ maxHold: 3_600_000 }, { consumerTimeout: '2h' })).not.toContain(finding)
    expect(await says()).not.toContain(finding)
    if (Number.parseInt(broker.version, 10) < 4) return
    const definition = { 'consumer-timeout': 600_000 }
    await vhost.manage('PUT', `policies/${vhost.name}/impatient`, { pattern: '.*', definition, 'apply-to': 'queues' })
    expect(await says()).toContain(finding)
  })

  test('warns of a dead-letter exchange without an alternate one', async () => {
    await fresh()
    const declare = (exchange: string, alternate: object) =>
      vhost.barely(async (channel) => {
        await channel.assertQueue('dead', { durable: true, arguments: deadArguments(broker.version) })
        await channel.assertExchange(exchange, 'fanout', { durable: true, ...alternate })
        await channel.bindQueue('dead', exchange, '')
      })
    const through = (exchange: string) =>
      vhost.barely((channel) =>
        channel.assertQueue(`by.${exchange}`, {
          durable: true,
          arguments: { 'x-queue-type': 'quorum', 'x-dead-letter-exchange': exchange },
        }),
      )
    await declare('bare', {})
    await declare('safe', { alternateExchange: 'bare' })
    await through('bare')
    await through('safe')
    expect(await says({ wanted: { ...work, address: { name: 'by.bare' } } })).toContain('warning no-alternate-exchange')
    expect(await says({ wanted: { ...work, address: { name: 'by.safe' } } })).not.toContain('warning no-alternate-exchange')
  })

  test('warns of queues that the broker named', async () => {
    await fresh()
    expect(await says()).not.toContain('warning auto-named')
    const connection = await amqp.connect(vhost.url)
    const channel = await connection.createChannel()
    await channel.assertQueue('', { exclusive: true })
    expect(await says()).toContain('warning auto-named')
    await connection.close()
  })

  test.each<[string, Partial<RabbitmqOptions> | { management: undefined }]>([
    ['is not given', { management: undefined }],
    ['cannot be reached', { management: { url: 'http://127.0.0.1:1', user: 'guest', password: 'guest' } }],
  ])('lists as unknown what it cannot ask when the management API %s', async (_, options) => {
    await fresh()
    const told = await says({}, options as Partial<RabbitmqOptions>)
    expect(told.filter((line) => line.startsWith('unknown '))).toEqual([
      'unknown policies-unseen',
      'unknown bindings-unseen',
      'unknown alarms-unseen',
      'unknown auto-named-queues-unseen',
      'unknown what-other-consumers-hold-unseen',
      'unknown consumer-timeout-unseen',
    ])
    expect(told).not.toContain('fine alarms')
  })

  test('a management user without rights makes unknowns too', async () => {
    await fresh()
    const management = { ...vhost.management, password: 'wrong' }
    expect(await says({}, { management })).toContain('unknown policies-unseen')
  })

  test.each<[string, Partial<Record<'configure' | 'write' | 'read', string>>, string | undefined]>([
    ['all of them', { configure: '.*', write: '.*', read: '.*' }, 'configure, write, read'],
    ['to configure', { configure: '.*' }, 'configure'],
    ['to write', { write: '.*' }, 'write'],
    ['to read', { read: '.*' }, 'read'],
    ['those of its own queues', {}, undefined],
  ])('finds rights that reach further than the queues of this user: %s', async (_, permissions, expected) => {
    await fresh()
    const { url } = await leastUser(vhost, broker, { own: ['work', 'dead'], permissions })
    const told = await examine({ url }, { wanted: { channels: [] }, channels: [] })
    const [found] = told.filter(({ what }) => what.startsWith('rights'))
    if (expected === undefined) expect(found).toMatchObject({ severity: 'fine', what: 'rights' })
    else {
      expect(found).toMatchObject({ severity: 'warning', what: 'rights-too-wide' })
      expect(found?.message).toContain(`may ${expected} queues`)
    }
    expect(await vhost.manage('GET', `queues/${vhost.name}`)).toEqual([])
  })

  test('warns of the user whom every broker has, and of one who may do more than look', async () => {
    await fresh()
    const owner = { url: vhost.url, management: vhost.management }
    const told = await examine(owner, { wanted: { channels: [] }, channels: [] })
    expect(told.map(({ severity, what }) => `${severity} ${what}`)).toEqual(
      expect.arrayContaining(['warning default-user', 'warning rights-too-wide', 'warning management-too-wide']),
    )
  })

  test('an alarm is fatal', { timeout: 300_000 }, async () => {
    await fresh()
    const file = join(broker.folder ?? '', 'rabbitmq.conf')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, before.replace('disk_free_limit.absolute = 64MB', 'disk_free_limit.absolute = 100000GB'))
    await broker.restart()
    // The broker looks at its disk from time to time.
    const eventually = { timeout: 120_000, interval: 250 }
    await vi.waitFor(async () => expect(await says()).toContain('fatal alarm'), eventually)
    expect(await says()).not.toContain('fine alarms')
    writeFileSync(file, before)
    await broker.restart()
    await vi.waitFor(async () => expect(await says()).toContain('fine alarms'), eventually)
  })
}

function deadArguments(release: string): Record<string, string | number> {
  return { 'x-queue-type': 'quorum', ...(release.startsWith('4') && { 'x-delivery-limit': -1 }) }
}

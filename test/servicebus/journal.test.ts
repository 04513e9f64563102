import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceBusClient, type ServiceBusReceivedMessage, type ServiceBusReceiver } from '@azure/service-bus'
import { expect, onTestFinished, test } from 'vitest'
import { type Broker, startBroker } from '../../scripts/brokers/start.ts'
import { type JournalRecord, openJournal } from './journal.ts'
import { giveOrder } from './orders.ts'

/** Nothing takes this long unless it never comes. */
const patience = 100_000
/** The longest that the service allows: no lock may end because a machine is slow. */
const patientLock = '<LockDuration>PT5M</LockDuration>'
const ample = { timeout: 240_000 }

async function serverWith(settings: readonly string[] = []): Promise<Broker> {
  const broker = await startBroker('servicebus', { settings })
  onTestFinished(() => broker.stop())
  return broker
}

function clientOf({ url }: Broker): ServiceBusClient {
  const client = new ServiceBusClient(url)
  onTestFinished(() => client.close())
  return client
}

async function next(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage> {
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: patience })
  if (!message) throw new Error('No message came.')
  return message
}

async function createQueue({ managementUrl }: Broker, name: string, settings = ''): Promise<void> {
  const body = `<entry><content><QueueDescription>${patientLock}${settings}</QueueDescription></content></entry>`
  const { status } = await fetch(`${managementUrl}/${name}`, { method: 'PUT', body })
  if (status !== 201) throw new Error(`The queue was not created: ${status}.`)
}

test(
  'a server that is killed has everything when it comes back: what waits, what is dead, what is scheduled',
  ample,
  async () => {
    const broker = await serverWith()
    await createQueue(broker, 'work')
    const before = clientOf(broker)
    await before.createSender('work').sendMessages([{ body: 'dead' }, { body: 'done' }, { body: 'in hand' }, { body: 'waiting' }])
    const inAnHour = new Date(Date.now() + 3_600_000)
    await before.createSender('work').sendMessages({ body: 'later', scheduledEnqueueTimeUtc: inAnHour })
    const receiver = before.createReceiver('work')
    const [dead, done, inHand] = [await next(receiver), await next(receiver), await next(receiver)]
    await receiver.deadLetterMessage(dead, { deadLetterReason: 'R', deadLetterErrorDescription: 'D' })
    await receiver.completeMessage(done)
    expect(await giveOrder(broker.managementUrl ?? '', { order: 'locked', path: 'work' })).toHaveLength(1)
    await broker.restart()

    const after = clientOf(broker)
    const found = await after.createReceiver('work').peekMessages(10)
    expect(found.map(({ body, state, deliveryCount }) => [body, state, deliveryCount])).toEqual([
      ['in hand', 'active', 1],
      ['waiting', 'active', 0],
      ['later', 'scheduled', 0],
    ])
    expect(String(found[0]?.sequenceNumber)).toBe(String(inHand.sequenceNumber))
    const [letter] = await after.createReceiver('work', { subQueueType: 'deadLetter' }).peekMessages(10)
    expect([letter?.body, letter?.deadLetterReason, letter?.deadLetterErrorDescription]).toEqual(['dead', 'R', 'D'])
    await after.createSender('work').sendMessages({ body: 'new' })
    const numbers = (await clientOf(broker).createReceiver('work').peekMessages(10)).map(({ sequenceNumber }) =>
      Number(sequenceNumber),
    )
    expect(new Set(numbers).size).toBe(4)
  },
)

test('what a session holds is there after a kill, with its state', ample, async () => {
  const broker = await serverWith()
  await createQueue(broker, 'work', '<RequiresSession>true</RequiresSession>')
  const before = clientOf(broker)
  await before.createSender('work').sendMessages([{ body: 'a', sessionId: 's' }])
  const session = await before.acceptSession('work', 's')
  await session.setSessionState('half way')
  await broker.restart()

  const again = await clientOf(broker).acceptSession('work', 's')
  expect(String(await again.getSessionState())).toBe('half way')
  expect((await again.receiveMessages(1, { maxWaitTimeInMs: patience })).map(({ body }) => body)).toEqual(['a'])
})

test(
  'a server that keeps its entities only is seen to forget messages, so that the journal is what keeps them',
  ample,
  async () => {
    const broker = await serverWith(['forgets messages'])
    await createQueue(broker, 'work')
    await clientOf(broker).createSender('work').sendMessages({ body: 'a' })
    await broker.restart()
    expect(await clientOf(broker).createReceiver('work').peekMessages(10)).toEqual([])
  },
)

test('a line that was torn by a kill is nothing, and the next one stands on a line of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-journal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'journal')
  const first = openJournal(file)
  first.together(() => {
    first.write({ kind: 'removed', path: 'a' })
    first.write({ kind: 'removed', path: 'b' })
  })
  first.close()
  appendFileSync(file, '[{"kind":"removed","pa')

  const second = openJournal(file)
  expect(pathsIn(second)).toEqual(['a', 'b'])
  second.write({ kind: 'removed', path: 'c' })
  expect(pathsIn(second)).toEqual(['a', 'b', 'c'])
  second.close()
})

function pathsIn(journal: ReturnType<typeof openJournal>): string[] {
  const found: JournalRecord[] = []
  journal.replay((record) => found.push(record))
  return found.flatMap((record) => ('path' in record ? [record.path] : []))
}

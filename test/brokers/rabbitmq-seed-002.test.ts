import { resolve } from 'node:path'
import type { GetMessage } from 'amqplib'
import { describe, expect, test, vi } from 'vitest'
import type { Alert } from '../../src/core/alerts/monitor/alert.ts'
import { apiKey, openReceiver, type Receiver } from '../alerts/receiver.ts'
import { type RunningProgram, startProgram } from '../program.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, type Vhost } from './rabbitmq.ts'

/**
 * The payments of seed 002 as processes that scale apart: an API, two workers and a monitor meet on a real broker. Of the 28 payments
 * of this seed, number 28 never gets an answer, the account of number 23 is closed, number 11 is in a currency that nobody settles,
 * and number 20 is settled at the third try.
 */
const payments = ['--seed', '3', '--count', '28']
const [never, closed, foreign, late] = ['00028', '00023', '00011', '00020']
const dlq = 'dlq.settlement.requested'
/** Nothing takes this long unless it never comes: four programs start on a machine that may be busy. */
const patience = 120_000

interface Flow {
  readonly vhost: Vhost
  readonly workers: readonly RunningProgram[]
  readonly monitor: RunningProgram
  readonly receiver: Receiver
  /** What both workers printed. */
  readonly told: () => string
}

/** Runs all of it until every payment is settled or dead, then looks, then stops every process. */
async function runFlow(vhost: Vhost, options: readonly string[], look: (flow: Flow) => Promise<void>): Promise<void> {
  const receiver = await openReceiver()
  const started: RunningProgram[] = []
  const start = (role: string, ...more: string[]): RunningProgram => {
    const args = ['--transport', 'rabbitmq', '--url', vhost.url, '--role', role, ...payments, ...options, ...more]
    const program = startProgram(resolve('examples/02-payments/main.ts'), args, { env: { WEBHOOK_API_KEY: apiKey } })
    started.push(program)
    return program
  }
  try {
    const monitor = start('monitor', '--webhook', receiver.url)
    const workers = [start('workers'), start('workers')]
    const consuming = vi.waitFor(async () => expect(await consumersOf(vhost)).toBe(2), patience)
    await Promise.race([consuming, ...workers.map(neverEnds)])
    const api = start('api')
    expect(await api.exit).toBe(0)
    const told = (): string => workers.map(({ output }) => output()).join('')
    const flow = { vhost, workers, monitor, receiver, told }
    await vi.waitFor(() => expect([idsOf(flow, 'settled').length, idsOf(flow, 'buried').length]).toEqual([25, 2]), patience)
    await look(flow)
    for (const { child } of [...workers, monitor]) child.kill('SIGTERM')
    expect(await Promise.all([...workers, monitor].map(({ exit }) => exit))).toEqual([0, 0, 0])
  } finally {
    for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL')
    await receiver.close()
    await vhost.remove()
  }
}

/** Tells at once what a program had to say that ended too early. */
async function neverEnds({ exit, output }: RunningProgram): Promise<never> {
  await exit
  throw new Error(`It ended:\n${output()}`)
}

/** How many connections consume settlements; each may have more than one consumer there. */
async function consumersOf(vhost: Vhost): Promise<number> {
  const consumers = (await vhost.manage('GET', `consumers/${vhost.name}`)) as {
    queue: { name: string }
    channel_details: { connection_name: string }
  }[]
  const own = consumers.filter(({ queue }) => queue.name === 'settlement.requested')
  return new Set(own.map(({ channel_details }) => channel_details.connection_name)).size
}

/** The numbers of the payments in lines of this kind, each once, in order. */
function idsOf({ told }: Pick<Flow, 'told'>, kind: string): string[] {
  const lines = told().matchAll(new RegExp(`${kind} +tx-\\w+-(\\d+)`, 'g'))
  return [...new Set([...lines].map(([, id = '']) => id))].sort()
}

function retryCounts({ told }: Flow, id: string): number[] {
  return [...told().matchAll(new RegExp(`trying +tx-\\w+-${id} retry_count=(\\d+)`, 'g'))]
    .map(([, count]) => Number(count))
    .sort()
}

/** Takes everything out of the dead-letter queue with a bare client. */
function drain(vhost: Vhost): Promise<readonly GetMessage[]> {
  return vhost.barely(async (channel) => {
    const letters: GetMessage[] = []
    for (let raw = await channel.get(dlq); raw; raw = await channel.get(dlq)) letters.push(raw)
    for (const letter of letters) channel.ack(letter)
    return letters
  })
}

const numberOf = ({ properties }: GetMessage): string => String(properties.correlationId).slice(-5)

await onBrokers('rabbitmq', ['4.0'], (broker) => {
  describe('seed 002 on RabbitMQ', { timeout: 400_000 }, () => {
    test('an API, two workers and a monitor account for every payment, and the monitor alerts and consumes nothing', async () => {
      await runFlow(await createVhost(broker), [], async (flow) => {
        const { vhost, workers, monitor, receiver } = flow
        expect(idsOf(flow, 'buried')).toEqual([closed, never])
        for (const { output } of workers) expect(output()).toMatch(/trying +tx-/)
        expect([never, closed, foreign, late].map((id) => retryCounts(flow, id))).toEqual([[0, 1, 2], [0], [0], [0, 1, 2]])

        const { arguments: declared } = (await vhost.manage('GET', `queues/${vhost.name}/settlement.requested`)) as Queue
        expect(declared).toMatchObject({ 'x-message-ttl': 300_000, 'x-dead-letter-routing-key': dlq })

        await monitor.shows(/status: .* DLQ 2\n/)
        const sentence = `1 or more messages found in Dead-Letter Queue ${dlq}. Manual intervention required.`
        expect(monitor.output().split(`alert    CRITICAL ${sentence}`)).toHaveLength(2)
        const posted = (): Alert[] =>
          receiver.posts.map(({ alert }) => alert).filter(({ rule, channel }) => rule === 'dlq.any' && channel === dlq)
        await vi.waitFor(() => expect(posted()).toMatchObject([{ severity: 'CRITICAL', message: sentence }]), patience)

        expect((await vhost.barely((channel) => channel.checkQueue(dlq))).messageCount).toBe(2)
        expect((await drain(vhost)).map(numberOf).sort()).toEqual([closed, never])
      })
    })

    test('in native mode each letter bears its death in the work queue, rejected, once', async () => {
      await runFlow(await createVhost(broker), ['--dead-lettering', 'native'], async (flow) => {
        expect(retryCounts(flow, never)).toEqual([0, 1, 2])
        await flow.monitor.shows(/status: .* DLQ 2\n/)
        const letters = await drain(flow.vhost)
        expect(letters.map(numberOf).sort()).toEqual([closed, never])
        for (const { properties } of letters) {
          const deaths: readonly Death[] = properties.headers?.['x-death'] ?? []
          const here = deaths.filter(({ queue, reason }) => queue === 'settlement.requested' && reason === 'rejected')
          expect(here).toMatchObject([{ count: 1 }])
        }
      })
    })
  })
})

interface Queue {
  readonly arguments: Readonly<Record<string, unknown>>
}

interface Death {
  readonly queue: string
  readonly reason: string
  readonly count: number
}

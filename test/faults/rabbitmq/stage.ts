import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Options } from 'amqplib'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { type QueueType, rabbitmq } from '../../../src/transports/rabbitmq/rabbitmq.ts'
import { createVhost, type Vhost } from '../../brokers/rabbitmq.ts'
import { faultChannels } from '../messages.ts'

/** A virtual host with the queues of a consumer, and a folder for logs. */
export interface Stage {
  readonly broker: Broker
  readonly vhost: Vhost
  readonly folder: string
  readonly queueType: QueueType
  /** How consumers reach it: through a proxy, or as a user of their own. */
  readonly consumerUrl: string
  close(): Promise<void>
}

export interface StageOptions {
  readonly queueType?: QueueType
  /** Another dead-letter queue than the one that we would create. */
  readonly deadLetterQueue?: Options.AssertQueue
  /** Another work queue; then nothing of ours is created beside it. */
  readonly workQueue?: Options.AssertQueue
  /** Where consumers connect instead of to the broker. */
  readonly port?: number
  readonly user?: { readonly name: string; readonly password: string }
}

export async function createStage(broker: Broker, options: StageOptions = {}): Promise<Stage> {
  const { queueType = 'quorum', port, user } = options
  const vhost = await createVhost(broker)
  await declareGiven(vhost, options)
  if (!options.workQueue) await provision(vhost, queueType)
  const url = new URL(vhost.url)
  if (port !== undefined) url.port = String(port)
  if (user) Object.assign(url, { username: user.name, password: user.password })
  const folder = mkdtempSync(join(tmpdir(), 'redrive-faults-'))
  return {
    broker,
    vhost,
    folder,
    queueType,
    consumerUrl: url.href,
    async close() {
      await vhost.remove().catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function declareGiven({ barely }: Vhost, { deadLetterQueue, workQueue }: StageOptions): Promise<void> {
  const { work, deadLetter, invalid } = faultChannels
  if (deadLetterQueue) await barely((channel) => channel.assertQueue(deadLetter, deadLetterQueue))
  if (!workQueue) return
  await barely((channel) => channel.assertQueue(work, workQueue))
  await barely((channel) => channel.assertQueue(invalid))
}

async function provision({ url }: Vhost, queueType: QueueType): Promise<void> {
  const { work, deadLetter, invalid } = faultChannels
  const transport = rabbitmq({ url, queueType })
  const channels = [
    { address: { name: deadLetter }, role: 'dead-letter' },
    { address: { name: invalid }, role: 'invalid' },
    { address: { name: work }, role: 'work', deadLetterTo: { name: deadLetter }, maxRetryDelay: 1000 },
  ] as const
  await transport.provision({ channels }, 'apply')
  await transport.close()
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { kafka } from '../../../src/transports/kafka/kafka.ts'
import { topicsOf } from './order.ts'

/** Topics of its own on a broker, and a folder for logs. */
export interface Stage {
  readonly broker: Broker
  readonly name: string
  readonly folder: string
  readonly partitions: number
  provision(): Promise<void>
  close(): void
}

let stages = 0

export async function createStage(broker: Broker, partitions = 4): Promise<Stage> {
  const name = `faults-${process.pid}-${++stages}`
  const folder = mkdtempSync(join(tmpdir(), 'redrive-faults-'))
  const stage: Stage = {
    broker,
    name,
    folder,
    partitions,
    async provision() {
      const { work, deadLetter, invalid } = topicsOf(name)
      const transport = kafka({ bootstrapServers: broker.url, groupId: name, partitions })
      const channels = [
        { address: { name: deadLetter }, role: 'dead-letter' },
        { address: { name: invalid }, role: 'invalid' },
        { address: { name: work }, role: 'work', maxRetryDelay: 1000 },
      ] as const
      await transport.provision({ channels }, 'apply').finally(() => transport.close())
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
  await stage.provision()
  return stage
}

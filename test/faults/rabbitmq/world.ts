import { startBroker } from '../../../scripts/brokers/start.ts'
import { MissingToxiproxy, startToxiproxy, type Toxiproxy } from '../../../scripts/brokers/toxiproxy.ts'
import type { World } from './rows/row.ts'

/** Rejects with `MissingBroker` where RabbitMQ cannot be had. */
export async function createWorld(version: string, isSmoke: boolean): Promise<World & { close(): Promise<void> }> {
  // Every process of every broker ends with us.
  process.setMaxListeners(100)
  const calm = await startBroker('rabbitmq', { version })
  let toxiproxy: Promise<Toxiproxy | { readonly notRun: string }> | undefined
  return {
    calm,
    isSmoke,
    disturbed: (folder) => startBroker('rabbitmq', { version, ...(folder !== undefined && { folder }) }),
    async faultyWay() {
      toxiproxy ??= startToxiproxy().catch((error) => {
        if (error instanceof MissingToxiproxy) return { notRun: error.message }
        throw error
      })
      const proxy = await toxiproxy
      return 'notRun' in proxy ? proxy : proxy.before(Number(new URL(calm.url).port))
    },
    async close() {
      const proxy = await toxiproxy
      if (proxy && !('notRun' in proxy)) await proxy.stop()
      await calm.stop()
    },
  }
}

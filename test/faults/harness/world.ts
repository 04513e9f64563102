import type { BrokerName } from '../../../scripts/brokers/recipe.ts'
import { startBroker } from '../../../scripts/brokers/start.ts'
import { MissingToxiproxy, startToxiproxy, type Toxiproxy } from '../../../scripts/brokers/toxiproxy.ts'
import type { NotRun, World } from './row.ts'

interface WorldOptions {
  /** The first that the broker's recipe names unless told. */
  readonly version?: string
  readonly isSmoke: boolean
}

/** Rejects with `MissingBroker` where the broker cannot be had. */
export async function createWorld(
  name: BrokerName,
  { version, isSmoke }: WorldOptions,
): Promise<World & { close(): Promise<void> }> {
  // Every process of every broker ends with us.
  process.setMaxListeners(100)
  const chosen = version === undefined ? {} : { version }
  const calm = await startBroker(name, chosen)
  let toxiproxy: Promise<Toxiproxy | NotRun> | undefined
  return {
    calm,
    isSmoke,
    disturbed: (options) => startBroker(name, { ...chosen, ...options }),
    async faultyWay() {
      toxiproxy ??= startToxiproxy().catch((error) => {
        if (error instanceof MissingToxiproxy) return { notRun: error.message }
        throw error
      })
      const proxy = await toxiproxy
      return 'notRun' in proxy ? proxy : proxy.before(portOf(calm.url))
    },
    async close() {
      const proxy = await toxiproxy
      if (proxy && !('notRun' in proxy)) await proxy.stop()
      await calm.stop()
    },
  }
}

/** Also of an address that is no URL, as Kafka's or a connection string: only a path or further settings may follow it. */
function portOf(url: string): number {
  return Number(/:(\d+)(?:[/;?].*)?$/.exec(url)?.[1])
}

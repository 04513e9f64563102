import type { Config, ConnectionConfig } from '../../config/config.ts'
import { createSink } from '../../notifiers/kinds.ts'
import type { Sink } from '../../notifiers/sink.ts'
import type { ConfiguredSource } from '../../ops/sources.ts'
import { systemClock } from '../../platform/clock.ts'
import { openConfigured } from '../../transports/registry.ts'
import type { Transport } from '../../transports/seam.ts'

/** Opens every connection of a configuration; `opened` hears of each, so that a later failure can close it. */
export async function openConnectionsOf(
  { connections }: Config,
  opened: (transport: Transport) => void,
): Promise<ReadonlyMap<string, Transport>> {
  const transports = new Map<string, Transport>()
  for (const [name, { transport, options }] of connections) {
    const connection = await openConfigured(transport, options)
    opened(connection)
    transports.set(name, connection)
  }
  return transports
}

export function sourcesOf(
  { sources, connections }: Config,
  transports: ReadonlyMap<string, Transport>,
): readonly ConfiguredSource[] {
  return sources.flatMap(
    ({ connection, channel, part, group, mode, retention, returnTo, searchBodies = false, probeEvery, schemas }) => {
      const transport = transports.get(connection)
      if (!transport) return []
      const address = { name: channel, ...(part && { part }), ...(group !== undefined && { group }) }
      return [
        {
          ...{ connection, transport, address, mode, searchBodies },
          ...(retention && { retention }),
          ...(returnTo && { returnTo }),
          ...(schemas && { schemas }),
          probeEvery: probeEvery ?? usualProbe(connections.get(connection)),
        },
      ]
    },
  )
}

export function sinksOf({ notifiers }: Config): readonly Sink[] {
  return [...notifiers].map(([name, { type, options }]) => createSink(name, type, options, { clock: systemClock }))
}

const second = 1000

/** As seldom as a management API wants to be asked (seed 000 says a minute) and as clouds are paid for, and as often as costs nothing elsewhere. */
function usualProbe(connection: ConnectionConfig | undefined): number {
  const isPaidFor = connection?.transport === 'sqs' || connection?.transport === 'servicebus'
  if (connection?.options['management'] !== undefined || isPaidFor) return 60 * second
  return connection?.transport === 'kafka' || connection?.transport === 'postgres' ? 10 * second : second
}

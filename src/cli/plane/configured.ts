import type { Config } from '../../config/config.ts'
import type { ConfiguredSource } from '../../ops/sources.ts'
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

export function sourcesOf({ sources }: Config, transports: ReadonlyMap<string, Transport>): readonly ConfiguredSource[] {
  return sources.flatMap(({ connection, channel, part, group, mode }) => {
    const transport = transports.get(connection)
    if (!transport) return []
    const address = { name: channel, ...(part && { part }), ...(group !== undefined && { group }) }
    return [{ connection, transport, address, mode }]
  })
}

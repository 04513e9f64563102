import { Connection, describeGroupsV5, findCoordinatorV3, leaveGroupV4 } from '@platformatic/kafka'
import type { Broker } from '../../scripts/brokers/start.ts'

export function portOf({ url }: Pick<Broker, 'url'>): number {
  return Number(url.slice(url.lastIndexOf(':') + 1))
}

/** Works with a bare connection, as an observer that knows nothing of ours. */
export async function barely<T>(broker: Pick<Broker, 'url'>, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Connection('observer')
  connection.on('error', () => {})
  await connection.connect('127.0.0.1', portOf(broker))
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** What the broker does with a member when its session is over, only at once: tests need not wait for it, nor make sessions short. */
export async function endSessionsOf(broker: Pick<Broker, 'url'>, group: string, clientId: string): Promise<void> {
  await barely(broker, async (connection) => {
    await findCoordinatorV3.api.async(connection, 0, [group])
    const { groups } = await describeGroupsV5.api.async(connection, [group], false)
    const members = (groups[0]?.members ?? []).filter((member) => member.clientId === clientId)
    if (members.length > 0)
      await leaveGroupV4.api.async(
        connection,
        group,
        members.map(({ memberId }) => ({ memberId })),
      )
  })
}

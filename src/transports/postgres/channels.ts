import { hasCode } from '../../core/errors.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { unknownChannel } from './statements.ts'

export interface ChannelRow {
  readonly id: number
  readonly name: string
  readonly lanes: boolean
}

/** Those of these names that exist. Where there is no queue at all, none does. */
export async function findChannels(
  { ask }: Pick<Connections, 'ask'>,
  schema: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ChannelRow>> {
  try {
    const rows = await ask<ChannelRow>(`SELECT id, name, lanes FROM ${schema}.channels WHERE name = ANY ($1)`, [names])
    return new Map(rows.map((row) => [row.name, row]))
  } catch (error) {
    if (hasCode(error, 'unknown-channel')) return new Map()
    throw error
  }
}

export async function channelNamed(connections: Pick<Connections, 'ask'>, schema: string, name: string): Promise<ChannelRow> {
  const found = (await findChannels(connections, schema, [name])).get(name)
  if (found === undefined) throw unknownChannel(name)
  return found
}

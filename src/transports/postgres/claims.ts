import type { Connections } from '../../platform/postgres/connections.ts'
import type { Claim, Claimed } from '../leases/protocol.ts'
import type { ChannelRow } from './channels.ts'
import { claimColumns, createClaimed } from './claimed.ts'
import { createFrontiers } from './frontiers.ts'
import type { Settings } from './options.ts'

/** Claims of this process, one after the other in each channel: two at one time would pass over what the other has locked, row by row. */
export interface Claims {
  claim(channel: ChannelRow, request: Claim): Promise<Claimed>
  /** Something was given back: it may stand before what was claimed last. */
  lookAgain(channel: number): void
}

export function createClaims(connections: Pick<Connections, 'copy'>, { clock, schema }: Settings): Claims {
  const frontiers = createFrontiers(clock)
  const last = new Map<number, Promise<unknown>>()

  async function claimNext(channel: ChannelRow, { max, until, suspects }: Claim): Promise<Claimed> {
    const terms = [channel.id, max, Math.max(1, until - clock.now()), suspects !== 'withhold', suspects === 'alone']
    if (channel.lanes) return claimBy('claim_in_lanes($1::integer, $2::integer, $3::float8, $4::boolean, $5::boolean)', terms)
    const claimBehind = (id: number) =>
      claimBy('claim($1::integer, $6::bigint, $2::integer, $3::float8, $4::boolean, $5::boolean)', [...terms, id])
    const frontier = frontiers.of(channel.id)
    const claimed = await claimBehind(frontier)
    if (claimed.ids.length === max) frontiers.reached(channel.id, claimed.ids)
    else frontiers.forget(channel.id)
    return frontier > 0 && claimed.ids.length === 0 ? claimBehind(0) : claimed
  }

  async function claimBy(call: string, values: readonly (number | boolean)[]): Promise<Claimed> {
    const { claimed, add } = createClaimed(clock)
    await connections.copy({ sql: `SELECT ${claimColumns} FROM ${schema}.${call}`, values }, add)
    return claimed
  }

  return {
    claim(channel, request) {
      const before = last.get(channel.id)
      const claiming = before ? before.then(() => claimNext(channel, request)) : claimNext(channel, request)
      const over = claiming.then(
        () => {},
        () => {},
      )
      last.set(channel.id, over)
      return claiming
    },
    lookAgain: frontiers.forget,
  }
}

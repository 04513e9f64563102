import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Row } from '../harness/row.ts'
import type { Tally } from '../harness/row-report.ts'
import { brokerRows } from './rows/broker-outages.ts'
import { graveOutageRows } from './rows/grave-outages.ts'
import { graveRows } from './rows/graves.ts'
import { hostileRows } from './rows/hostile-messages.ts'
import { killRows, randomKills, smokeKillRows } from './rows/kills.ts'
import { networkRows } from './rows/network.ts'
import { peerRows } from './rows/peers.ts'
import { twinRows } from './rows/twins.ts'

export function rabbitFaults(faults: Faults): Promise<Tally> {
  return playRows({ server: 'rabbitmq', version: '4.0', rows: rowsOf(faults), lanes: 5, claimsOrder: false }, faults)
}

function rowsOf({ isSmoke, kills, seed, outage }: Faults): readonly Row[] {
  return [
    ...(isSmoke ? smokeKillRows : killRows),
    randomKills(kills, seed),
    ...graveOutageRows(outage),
    ...brokerRows,
    ...networkRows,
    ...graveRows,
    ...hostileRows,
    ...twinRows,
    ...peerRows(seed),
  ]
}

import { arenaRows } from '../harness/arena-rows.ts'
import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Tally } from '../harness/row-report.ts'
import { postgresServer } from './rows.ts'

export function postgresFaults(faults: Faults): Promise<Tally> {
  const rows = arenaRows(postgresServer, faults.kills, faults.seed)
  return playRows({ server: 'postgres', rows, lanes: 4, claimsOrder: true }, faults)
}

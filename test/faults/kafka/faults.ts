import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Tally } from '../harness/row-report.ts'
import { rowsFor } from './rows.ts'

export function kafkaFaults(faults: Faults): Promise<Tally> {
  return playRows({ server: 'kafka', rows: rowsFor(faults.kills, faults.seed), lanes: 4, claimsOrder: true }, faults)
}

import { arenaRows } from '../harness/arena-rows.ts'
import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Tally } from '../harness/row-report.ts'
import { redisRows, redisServer } from './rows.ts'

export function redisFaults(faults: Faults): Promise<Tally> {
  const rows = [...arenaRows(redisServer, faults.kills, faults.seed), ...redisRows]
  return playRows({ server: 'redis', rows, lanes: 4, claimsOrder: false }, faults)
}

import { arenaRows } from '../harness/arena-rows.ts'
import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Row } from '../harness/row.ts'
import type { Tally } from '../harness/row-report.ts'
import { postgresServer } from './rows.ts'

/** What is handed out stays in the queue where an order is kept, and leaves it where none is: both are put through everything. */
const orders = ['by key', 'any order'] as const
type Order = (typeof orders)[number]

/** In little, what does not depend on how messages are handed out is played once. */
const inLittle =
  /after-complete-sent|after-letter-sent|server killed|connections cut|frozen until|clocks two hours|completes on receipt/

export function postgresFaults(faults: Faults): Promise<Tally> {
  const rows = orders.flatMap((order) => rowsIn(order, faults))
  return playRows({ server: 'postgres', rows, lanes: 4, claimsOrder: true }, faults)
}

function rowsIn(order: Order, { kills, seed }: Faults): readonly Row[] {
  const isKept = order === 'by key'
  return arenaRows(postgresServer({ lanes: isKept }), kills, seed).map((row) => ({
    ...row,
    name: `${order}: ${row.name}`,
    claimsOrder: isKept,
    longOnly: row.longOnly === true || (!isKept && !inLittle.test(row.name)),
  }))
}

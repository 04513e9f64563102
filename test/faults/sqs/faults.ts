import { type ArenaServer, arenaRows, type Repair } from '../harness/arena-rows.ts'
import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Row } from '../harness/row.ts'
import type { Tally } from '../harness/row-report.ts'
import { faultChannels } from '../messages.ts'
import type { Scene } from '../trouble-run.ts'
import { type SqsArena, sqsArena } from './arena.ts'

const kinds = ['standard', 'fifo'] as const
type QueueKind = (typeof kinds)[number]

/**
 * In little, each fault is played on one kind of queue: this server is slow to start and to answer. Standing still in turn, each time for
 * longer than a hold, takes most of a minute by itself.
 */
const inLittle: Readonly<Record<QueueKind, RegExp>> = {
  standard: /after-letter-sent|server killed|connections cut|dead-letter queue deleted|completes on receipt/,
  fifo: /after-complete-sent|kills every|random moments|frozen until|swallows/,
}

/** One kind of queue after the other: only FIFO queues claim an order. */
export async function sqsFaults(faults: Faults): Promise<Tally> {
  const total = { passed: 0, failed: 0, notRun: 0 }
  const messages = Math.ceil(faults.messages / kinds.length)
  for (const queues of kinds) {
    const rows = rowsOn(queues, faults)
    const played = { server: 'elasticmq', rows, lanes: 4, claimsOrder: queues === 'fifo' } as const
    const { passed, failed, notRun } = await playRows(played, { ...faults, messages })
    total.passed += passed
    total.failed += failed
    total.notRun += notRun
  }
  return total
}

function rowsOn(queues: QueueKind, { kills, seed }: Faults): Row[] {
  const server: ArenaServer<SqsArena> = {
    subject: 'sqs',
    openArena: (broker) => sqsArena(broker, queues),
    graveFaults: { 'dead-letter queue deleted, and made anew later': withoutGrave },
  }
  // When ElasticMQ is killed, it forgets the order of what was in flight: a bare client sees the same.
  const hasOrder = ({ name }: Row): boolean => queues === 'fifo' && !name.startsWith('server killed')
  return arenaRows(server, kills, seed).map((row) => ({
    ...(hasOrder(row) ? row : withoutOrder(row)),
    name: `${queues}: ${row.name}`,
    longOnly: !inLittle[queues].test(row.name),
  }))
}

function withoutOrder(row: Row): Row {
  return {
    ...row,
    async run(world, messages) {
      const judged = await row.run(world, messages)
      return 'notRun' in judged ? judged : { ...judged, verdict: { ...judged.verdict, disordered: [] } }
    },
  }
}

/** Once all is calm: a letter that comes after we have taken them out, and before the queue is deleted, would be lost by us. */
async function withoutGrave(arena: SqsArena, { allIsCalm }: Scene): Promise<Repair> {
  await allIsCalm()
  await arena.drain(faultChannels.deadLetter)
  await arena.deleteQueue(faultChannels.deadLetter)
  return () => arena.createQueue(faultChannels.deadLetter)
}

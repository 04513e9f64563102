import { type ArenaServer, arenaRows, type Repair } from '../harness/arena-rows.ts'
import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Tally } from '../harness/row-report.ts'
import { faultChannels } from '../messages.ts'
import type { Scene } from '../trouble-run.ts'
import { type RocketmqArena, rocketmqArena } from './arena.ts'

/** In little: one fault of each sort. The server is slow to start, and standing still takes longer than a hold each time. */
const inLittle = /after-letter-sent|kills every|server killed|connections cut|frozen until/
/**
 * A queue in order gives out nothing behind a letter that waits for its topic, so healthy messages do not flow meanwhile; and it takes a
 * batch back as a whole when its holder dies, so that one who completes on receipt loses less than such a row can see.
 */
const notInOrder = /dead-letter topic deleted|swallows|completes on receipt/

export async function rocketmqFaults(faults: Faults): Promise<Tally> {
  const server: ArenaServer<RocketmqArena> = {
    subject: 'rocketmq',
    openArena: rocketmqArena,
    graveFaults: { 'dead-letter topic deleted, and made anew later': withoutGrave },
  }
  const rows = arenaRows(server, faults.kills, faults.seed)
    .filter(({ name }) => !notInOrder.test(name))
    .map((row) => ({ ...row, longOnly: !inLittle.test(row.name) }))
  return playRows({ server: 'rocketmq', rows, lanes: 3, claimsOrder: true }, faults)
}

/** Consumers stand still for a moment, so that no letter is in the topic that is deleted: that one would be lost by us. */
async function withoutGrave(arena: RocketmqArena, { consumers }: Scene): Promise<Repair> {
  for (const consumer of consumers) consumer.signal('SIGSTOP')
  await arena.deleteTopic(faultChannels.deadLetter)
  for (const consumer of consumers) consumer.signal('SIGCONT')
  return () => arena.createTopic(faultChannels.deadLetter)
}

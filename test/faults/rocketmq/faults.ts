import { type ArenaServer, arenaRows, type Repair } from '../harness/arena-rows.ts'
import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Row } from '../harness/row.ts'
import type { Tally } from '../harness/row-report.ts'
import { faultChannels } from '../messages.ts'
import type { Scene } from '../trouble-run.ts'
import { type RocketmqArena, rocketmqArena } from './arena.ts'

const kinds = ['normal', 'fifo'] as const
type TopicKind = (typeof kinds)[number]

/** In little, each fault is played on one kind of topic. The server is slow to start, and standing still takes longer than a hold each time. */
const inLittle: Readonly<Record<TopicKind, RegExp>> = {
  normal: /after-letter-sent|server killed|dead-letter topic deleted|completes on receipt|completes the source/,
  fifo: /after-complete-sent|kills every|connections cut|frozen until|swallows/,
}

/** All on one server, which is slow to start; only FIFO topics claim an order. */
export function rocketmqFaults(faults: Faults): Promise<Tally> {
  const rows = kinds.flatMap((topics) => rowsOn(topics, faults))
  return playRows({ server: 'rocketmq', rows, lanes: 4, claimsOrder: true }, faults)
}

function rowsOn(topics: TopicKind, { kills, seed }: Faults): Row[] {
  const server: ArenaServer<RocketmqArena> = {
    subject: 'rocketmq',
    openArena: (broker) => rocketmqArena(broker, topics),
    graveFaults: { 'dead-letter topic deleted, and made anew later': withoutGrave },
    // A queue in order gives out nothing behind a letter that waits for its topic.
    lettersBlock: topics === 'fifo',
    // It also takes back together what it gave out together, completed or not, when its holder dies: that hides what such a mistake does.
    sendsLetters: topics === 'normal',
  }
  return arenaRows(server, kills, seed).map((row) => ({
    ...row,
    name: `${topics}: ${row.name}`,
    claimsOrder: topics === 'fifo',
    longOnly: !inLittle[topics].test(row.name),
  }))
}

/** Once all is calm: a letter that comes while we look what is in the topic, and before it is deleted, would be lost by us. */
async function withoutGrave(arena: RocketmqArena, { allIsCalm }: Scene): Promise<Repair> {
  await allIsCalm()
  await arena.deleteTopic(faultChannels.deadLetter)
  return () => arena.createTopic(faultChannels.deadLetter)
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from '../../../../scripts/brokers/start.ts'
import { untilQueuesOutliveAKill } from '../../../brokers/rabbitmq.ts'
import { seededRandom } from '../../../sim/seeded-random.ts'
import type { Row, RowResult, World } from '../../harness/row.ts'
import { peerDeadLetters, peerWork } from '../peers/queues.ts'
import { type Play, play, type Scene } from '../play.ts'
import { createStage } from '../stage.ts'
import { deletedAtOnce } from './graves.ts'

const peers = ['rascal', 'moleculer-channels', 'connection-manager'] as const
/** Peers do not tell when they are done, so a run ends when nothing has happened for so long. */
const patience = 20_000
const kills = 10
const longestLife = 500

/** Three of the faults, with the same producer, handler, observers and messages, on consumers that others wrote. */
export function peerRows(seed: number): readonly Row[] {
  return peers.flatMap((peer) => [
    peerRow(`${peer}: consumer killed at ${kills} random moments`, peer, (scene) => killed(scene, seed)),
    peerRow(`${peer}: dead-letter queue deleted, created again later`, peer, deletedAtOnce),
    peerRow(`${peer}: broker killed and restarted`, peer, brokerKilled, true),
  ])
}

function peerRow(name: string, peer: string, fault: (scene: Scene) => Promise<void>, disturbs = false): Row {
  return {
    name,
    weight: 1,
    kind: 'peer',
    longOnly: true,
    run: (world, messages) =>
      disturbs ? onOwnBroker(world, messages, peer, fault) : onBroker(world.calm, messages, peer, fault),
  }
}

async function onOwnBroker(world: World, messages: number, peer: string, fault: NonNullable<Play['fault']>): Promise<RowResult> {
  const broker = await world.disturbed()
  try {
    return await onBroker(broker, messages, peer, fault, untilQueuesOutliveAKill)
  } finally {
    await broker.stop()
  }
}

async function onBroker(
  broker: Broker,
  messages: number,
  peer: string,
  fault: NonNullable<Play['fault']>,
  settled = async () => {},
): Promise<RowResult> {
  const stage = await createStage(broker, { deadLetterQueue: peerDeadLetters, workQueue: peerWork })
  await settled()
  try {
    const producer = { holdAt: Math.floor(messages / 4) }
    const result = await play({
      stage,
      messages,
      program: new URL(`../peers/${peer}.program.ts`, import.meta.url),
      patience,
      producer,
      fault,
    })
    const crashes = result.complaints.filter((complaint) => complaint.startsWith('a consumer ended')).length
    return { ...result, ...(crashes > 0 && { note: `it crashed ${crashes} times by itself` }) }
  } finally {
    await stage.close()
  }
}

async function killed({ crew, producing }: Scene, seed: number): Promise<void> {
  const chance = seededRandom(seed)
  producing.goOn()
  for (let kill = 0; kill < kills; kill++) {
    await sleep(chance.between(0, longestLife))
    crew.killOne(chance.next())
  }
}

async function brokerKilled({ producing, messages, stage: { broker } }: Scene): Promise<void> {
  producing.goOn()
  await producing.confirmed(Math.floor(messages / 2))
  await broker.kill()
  await broker.restart()
}

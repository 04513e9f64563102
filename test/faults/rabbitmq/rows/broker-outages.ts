import type { QueueType } from '../../../../src/transports/rabbitmq/rabbitmq.ts'
import { untilQueuesOutliveAKill } from '../../../brokers/rabbitmq.ts'
import type { Row, RowResult, World } from '../../harness/row.ts'
import { createDisk, type Disk, whyPowerStaysOn } from '../../power-loss.ts'
import { type PlayResult, play, type Scene } from '../play.ts'
import { createStage } from '../stage.ts'

/** A consumer has a heartbeat of one second; far more than it needs to miss two of them. */
const noticedWithin = 120_000

interface Setting {
  readonly queueType: QueueType
  readonly deadLettering: 'annotated' | 'native'
}

const quorum: Setting = { queueType: 'quorum', deadLettering: 'annotated' }

export const brokerRows: readonly Row[] = [
  brokerKill('broker killed and restarted', quorum, { kind: 'safe' }),
  brokerKill('broker killed and restarted, native', { ...quorum, deadLettering: 'native' }, { kind: 'safe', longOnly: true }),
  brokerKill('broker killed and restarted, classic', { ...quorum, queueType: 'classic' }, { kind: 'safe', longOnly: true }),
  brokerKill(
    'broker killed and restarted, classic and native',
    { queueType: 'classic', deadLettering: 'native' },
    { kind: 'broker', longOnly: true },
  ),
  {
    name: 'broker frozen until noticed, then continued',
    weight: 3,
    kind: 'safe',
    run: (world, messages) => outage(world, messages, quorum, freeze),
  },
  {
    name: 'broker lost power (ext4, loop device)',
    weight: 4,
    kind: 'safe',
    run: (world, messages) => powerLoss(world, messages, quorum),
  },
  {
    name: 'broker lost power, classic',
    weight: 2,
    kind: 'broker',
    longOnly: true,
    run: (world, messages) => powerLoss(world, messages, { ...quorum, queueType: 'classic' }),
  },
]

function brokerKill(name: string, setting: Setting, rest: Pick<Row, 'kind' | 'longOnly'>): Row {
  return {
    name,
    weight: 4,
    ...rest,
    run: (world, messages) => outage(world, messages, setting, (scene) => killBroker(scene, world.isSmoke ? 1 : 2)),
  }
}

async function outage(
  world: World,
  messages: number,
  { queueType, deadLettering }: Setting,
  fault: (scene: Scene) => Promise<void>,
  disk?: Disk,
): Promise<PlayResult> {
  const broker = await world.disturbed(disk && { folder: disk.folder })
  try {
    const stage = await createStage(broker, { queueType })
    await untilQueuesOutliveAKill()
    // The broker writes its settings without waiting for the disk; only messages are the subject here.
    disk?.flush()
    try {
      return await play({ stage, messages, consumers: 2, order: { deadLettering }, fault })
    } finally {
      await stage.close()
    }
  } finally {
    await broker.stop()
  }
}

async function killBroker({ producing, messages, stage: { broker } }: Scene, times: number): Promise<void> {
  for (let kill = 1; kill <= times; kill++) {
    await producing.confirmed(Math.floor((messages * kill) / (times + 1)))
    await broker.kill()
    await broker.restart()
  }
}

async function freeze({ producing, messages, crew, stage: { broker } }: Scene): Promise<void> {
  await producing.confirmed(Math.floor(messages / 2))
  broker.freeze()
  try {
    await crew.heardFromAll('connection-lost', noticedWithin)
  } finally {
    broker.thaw()
  }
}

async function powerLoss(world: World, messages: number, setting: Setting): Promise<RowResult> {
  const why = whyPowerStaysOn()
  if (why !== undefined) return { notRun: why }
  const disk = createDisk(2048)
  try {
    return await outage(world, messages, setting, (scene) => cutPower(scene, disk), disk)
  } finally {
    disk.remove()
  }
}

async function cutPower({ producing, messages, stage: { broker } }: Scene, disk: Disk): Promise<void> {
  await producing.confirmed(Math.floor(messages / 2))
  disk.cutPower()
  await broker.kill()
  disk.boot()
  await broker.restart()
}

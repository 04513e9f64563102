import { setTimeout as sleep } from 'node:timers/promises'
import type { Options } from 'amqplib'
import type { Vhost } from '../../../brokers/rabbitmq.ts'
import type { Row, World } from '../../harness/row.ts'
import { faultChannels } from '../../messages.ts'
import { untilNothing } from '../../until-nothing.ts'
import { type PlayResult, play, type Scene } from '../play.ts'
import { createStage, type Stage, type StageOptions } from '../stage.ts'
import { everything, withoutLetters, withRestrictedUser } from './restricted-user.ts'

/** Only a classic queue can be deleted on condition that it is empty; otherwise the row itself could destroy letters. */
export const deletable: Options.AssertQueue = { durable: true, arguments: { 'x-queue-type': 'classic' } }
/** How long the messages of the calm before a fault may stand still. */
const calmWithin = 60_000

export const graveRows: readonly Row[] = [
  graveRow('dead-letter queue deleted, created again later', 'annotated', { deadLetterQueue: deletable }, deleted),
  graveRow('dead-letter queue full, limit raised later', 'annotated', {}, full),
  { ...graveRow('dead-letter queue deleted, native', 'native', { deadLetterQueue: deletable }, deleted), longOnly: true },
  { ...graveRow('dead-letter queue full, native', 'native', {}, full), longOnly: true },
  {
    ...graveRow(
      'dead-letter queue deleted, classic and native',
      'native',
      { deadLetterQueue: deletable, queueType: 'classic' },
      deletedAtOnce,
    ),
    longOnly: true,
    kind: 'broker',
  },
  { name: 'write permission revoked, restored later', weight: 2, kind: 'safe', run: revoked },
]

function graveRow(
  name: string,
  deadLettering: 'annotated' | 'native',
  options: StageOptions,
  fault: (scene: Scene) => Promise<void>,
): Row {
  return { name, weight: 2, kind: 'safe', run: (world, messages) => withoutGrave(world, messages, deadLettering, options, fault) }
}

/** So many are sent while all is well, and the others once it is not. */
function quarterOf(messages: number): number {
  return Math.floor(messages / 4)
}

/** A small prefetch, so that more letters are held than a consumer may otherwise have in hand. */
function prefetchFor(messages: number): number {
  return Math.max(5, Math.floor(messages / 30))
}

export async function withoutGrave(
  { calm }: World,
  messages: number,
  deadLettering: 'annotated' | 'native',
  options: StageOptions,
  fault: (scene: Scene) => Promise<void>,
  { plant, patience }: { readonly plant?: string; readonly patience?: number } = {},
): Promise<PlayResult> {
  const stage = await createStage(calm, options)
  try {
    const order = { deadLettering, prefetch: prefetchFor(messages), ...(plant !== undefined && { plant }) }
    const producer = { holdAt: quarterOf(messages) }
    return await play({ stage, messages, order, producer, fault, ...(patience !== undefined && { patience }) })
  } finally {
    await stage.close()
  }
}

/** Created again when nothing healthy is left: by then whoever has a letter has tried to write it. */
export async function deleted(scene: Scene): Promise<void> {
  await deleteGrave(scene)
  await scene.healthyFlowPast()
  await createGrave(scene.stage)
}

/** Where the broker drops what it cannot dead-letter, there is nothing to wait for. */
export async function deletedAtOnce(scene: Scene): Promise<void> {
  await deleteGrave(scene)
  await scene.producing.ended
  await sleep(2000)
  await createGrave(scene.stage)
}

export async function createGrave({ vhost }: Stage): Promise<void> {
  await vhost.barely((channel) => channel.assertQueue(faultChannels.deadLetter, deletable))
}

/**
 * The producer holds, and all that it has sent is where it belongs. RabbitMQ confirms a letter that is on its way into a queue which is
 * being deleted, or which has not heard of its new limit yet: that is the broker's, and not the fault that is meant.
 */
async function allIsCalm({ producing, evidence }: Scene, confirmed: number): Promise<void> {
  await producing.confirmed(confirmed)
  const left = await untilNothing(evidence.leftToDo, calmWithin)
  if (left > 0) throw new Error(`${left} of the first ${confirmed} messages were not finished before the fault.`)
}

/** Once so many are confirmed. */
export async function deleteGrave(scene: Scene, confirmed: number = quarterOf(scene.messages)): Promise<void> {
  await allIsCalm(scene, confirmed)
  await scene.stage.vhost.barely((channel) => channel.deleteQueue(faultChannels.deadLetter, { ifEmpty: true }))
  scene.producing.goOn()
}

async function full(scene: Scene): Promise<void> {
  const { vhost } = scene.stage
  await allIsCalm(scene, quarterOf(scene.messages))
  const policy = `policies/${vhost.name}/full`
  const definition = { 'max-length': 1, overflow: 'reject-publish' }
  await vhost.manage('PUT', policy, { pattern: `^${faultChannels.deadLetter}$`, definition, 'apply-to': 'queues' })
  await untilRefused(vhost)
  scene.producing.goOn()
  await scene.healthyFlowPast()
  await vhost.manage('DELETE', policy)
}

/** A policy holds some time after it was accepted. What found that out is taken away again. */
async function untilRefused(vhost: Vhost): Promise<void> {
  await vhost.barely(async (channel) => {
    const isAccepted = () =>
      new Promise<boolean>((resolve) => {
        channel.sendToQueue(faultChannels.deadLetter, Buffer.from('is it full?'), {}, (error) => resolve(error === null))
      })
    while (await isAccepted());
    await channel.purgeQueue(faultChannels.deadLetter)
  })
}

function revoked({ calm }: World, messages: number): Promise<PlayResult> {
  return withRestrictedUser(calm, async (userOf, options) => {
    const stage = await createStage(calm, options)
    try {
      const { allow, cut } = await userOf(stage)
      return await play({
        stage,
        messages,
        order: { prefetch: prefetchFor(messages) },
        producer: { holdAt: quarterOf(messages) },
        async fault({ producing, healthyFlowPast }) {
          await producing.confirmed(quarterOf(messages))
          await allow(withoutLetters)
          // A channel remembers for a while what it may do.
          cut()
          producing.goOn()
          await healthyFlowPast()
          await allow(everything)
          cut()
        },
      })
    } finally {
      await stage.close()
    }
  })
}

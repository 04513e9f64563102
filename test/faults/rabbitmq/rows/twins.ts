import { untilQueuesOutliveAKill } from '../../../brokers/rabbitmq.ts'
import type { Row, World } from '../../harness/row.ts'
import { type PlayResult, play } from '../play.ts'
import { createStage } from '../stage.ts'
import { deleted, withoutGrave } from './graves.ts'

/** When nothing has happened for so long, a planted bug has done what it does. What is still in a queue then is not lost. */
const patience = 4000

/** Each observer must be able to see a loss: the drain, the handler log, and the producer log. */
export const twinRows: readonly Row[] = [
  {
    name: 'acknowledges before the letter is confirmed, and is killed',
    weight: 1,
    kind: 'twin',
    run: (world, messages) => killed(world, messages, 'acknowledges before the letter is confirmed'),
  },
  {
    name: 'acknowledges on receipt, and is killed',
    weight: 1,
    kind: 'twin',
    run: (world, messages) => killed(world, messages, 'acknowledges on receipt'),
  },
  {
    name: 'completes what it cannot dead-letter, and the queue is deleted',
    weight: 1,
    kind: 'twin',
    run: (world, messages) =>
      withoutGrave(
        world,
        messages,
        'annotated',
        { deadLetterQueue: { durable: true, arguments: { 'x-queue-type': 'classic' } } },
        deleted,
        { plant: 'completes what it could not dead-letter', patience },
      ),
  },
  { name: 'a producer without confirms, and the broker is killed', weight: 1, kind: 'twin', run: withoutConfirms },
]

async function killed({ calm }: World, messages: number, plant: string): Promise<PlayResult> {
  const stage = await createStage(calm)
  try {
    const deaths = [{ barrier: 'letter: before send', passes: 2 }]
    return await play({ stage, messages, deaths, patience, order: { plant, turns: 3 } })
  } finally {
    await stage.close()
  }
}

/** Frozen first, so that the broker certainly has not read what the producer takes for sent. */
async function withoutConfirms(world: World, messages: number): Promise<PlayResult> {
  const broker = await world.disturbed()
  try {
    const stage = await createStage(broker)
    await untilQueuesOutliveAKill()
    const half = Math.floor(messages / 2)
    const result = await play({
      stage,
      messages,
      patience,
      producer: { confirms: 'none', holdAt: half },
      async fault({ producing }) {
        await producing.confirmed(half)
        broker.freeze()
        producing.goOn()
        await producing.ended
        await broker.kill()
        await broker.restart()
      },
    })
    await stage.close()
    return result
  } finally {
    await broker.stop()
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueType } from '../../../../src/transports/rabbitmq/rabbitmq.ts'
import { seededRandom } from '../../../sim/seeded-random.ts'
import { barrierName, copyPoints, type Path, rejectPoints } from '../../harness/copy-barriers.ts'
import type { Row, World } from '../../harness/row.ts'
import { play, type Scene } from '../play.ts'
import { createStage } from '../stage.ts'

const pathNames: Readonly<Record<Path, string>> = { letter: 'dead letter', retry: 'delayed retry', reject: 'native reject' }

function pointsOf(path: Path): readonly string[] {
  return path === 'reject' ? rejectPoints : copyPoints
}

/** Every point of every path in a row of its own, with one kill; on classic queues all points of a path in one row. */
export const killRows: readonly Row[] = [
  ...(['letter', 'retry', 'reject'] as const).flatMap((path) =>
    pointsOf(path).map((point) => killRow(path, [point], 'quorum', true)),
  ),
  ...(['letter', 'retry', 'reject'] as const).map((path) => killRow(path, pointsOf(path), 'classic', true)),
]

/** The same in little: all points of a path in one row. */
export const smokeKillRows: readonly Row[] = (['letter', 'retry', 'reject'] as const).map((path) =>
  killRow(path, pointsOf(path), 'quorum', false),
)

function killRow(path: Path, points: readonly string[], queueType: QueueType, longOnly: boolean): Row {
  const where = points.length === 1 ? points[0] : `at ${points.length} points`
  const onClassic = queueType === 'classic' ? ', classic' : ''
  return {
    name: `consumer killed: ${pathNames[path]}, ${where}${onClassic}`,
    weight: 1,
    longOnly,
    kind: 'safe',
    run: (world, messages) => kill(world, messages, path, points, queueType),
  }
}

async function kill({ calm }: World, messages: number, path: Path, points: readonly string[], queueType: QueueType) {
  const stage = await createStage(calm, { queueType })
  // One message in ten retries and one in ten dies; each kill finds its share of them. What was in hand at two kills has used up its
  // first attempt and retries no more, so that three in four are left for that.
  const passes = Math.floor(messages / 10 / (points.length + 1) / 4)
  const deaths = points.map((point) => ({ barrier: barrierName(path, point), passes }))
  try {
    return await play({ stage, messages, deaths, order: { deadLettering: path === 'reject' ? 'native' : 'annotated' } })
  } finally {
    await stage.close()
  }
}

/** Kills of whoever consumes, at moments that are spread over the time in which a consumer starts and gets into its stride. */
export function randomKills(kills: number, seed: number): Row {
  return {
    name: `one of two consumers killed at ${kills} random moments`,
    weight: 3,
    kind: 'safe',
    async run({ calm }, messages) {
      const stage = await createStage(calm)
      const chance = seededRandom(seed)
      const fault = async ({ crew }: Scene): Promise<void> => {
        for (let kill = 0; kill < kills; kill++) {
          // The moment of death is the fault that is injected here, and not a wait for anything.
          await sleep(chance.between(0, longestLife))
          crew.killOne(chance.next())
        }
      }
      try {
        return await play({ stage, messages, consumers: 2, fault })
      } finally {
        await stage.close()
      }
    },
  }
}

/** Milliseconds. */
const longestLife = 500

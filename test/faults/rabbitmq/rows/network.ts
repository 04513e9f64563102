import type { FaultyWay } from '../../../../scripts/brokers/toxiproxy.ts'
import type { Row, RowResult, World } from '../../harness/row.ts'
import { play, type Scene } from '../play.ts'
import { createStage } from '../stage.ts'

/** Two heartbeats of a second, many times over: it bounds a consumer that hangs, not one that is slow. */
const noticedWithin = 120_000

export const networkRows: readonly Row[] = [
  // Not oftener: what is alone in hand at three losses in a row looks like a message that kills its consumer.
  networkRow('connections cut and refused, twice', async (scene, way) => {
    await scene.producing.confirmed(Math.floor(scene.messages / 2))
    for (let cut = 1; cut <= 2; cut++) await hurt(scene, way, () => way.cut())
  }),
  networkRow('half-open: what consumers say vanishes', (scene, way) => halfOpen(scene, way, 'upstream')),
  networkRow('half-open: what the broker says vanishes', (scene, way) => halfOpen(scene, way, 'downstream')),
]

function networkRow(name: string, fault: (scene: Scene, way: FaultyWay) => Promise<void>): Row {
  return {
    name,
    weight: 3,
    kind: 'safe',
    async run(world: World, messages: number): Promise<RowResult> {
      const way = await world.faultyWay()
      if ('notRun' in way) return way
      const stage = await createStage(world.calm, { port: way.port })
      try {
        const producer = { holdAt: Math.floor(messages / 2) }
        return await play({ stage, messages, consumers: 2, producer, fault: (scene) => fault(scene, way) })
      } finally {
        await stage.close()
      }
    },
  }
}

async function halfOpen(scene: Scene, way: FaultyWay, direction: 'upstream' | 'downstream'): Promise<void> {
  await scene.producing.confirmed(Math.floor(scene.messages / 2))
  await hurt(scene, way, () => way.swallow(direction))
}

/** The other half of the messages comes while it hurts. */
async function hurt({ crew, producing }: Scene, way: FaultyWay, harm: () => Promise<void>): Promise<void> {
  const noticed = crew.heardFromAll('connection-lost', noticedWithin)
  await harm()
  producing.goOn()
  await noticed
  const restored = crew.heardFromAll('connection-restored', noticedWithin)
  await way.heal()
  await restored
}

import { describe, expect, test } from 'vitest'
import { checkConservation } from '../../src/ops/conservation.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { deadLetter } from '../control/letters.fixture.ts'
import { until } from '../until.ts'
import { fates, frozen } from './fates.ts'
import type { Plant } from './instance.program.ts'
import { allKept, copiesIn, die, type House, type Instance, keptIn, openHouse, patience } from './instances.ts'

const graves = ['dlq.1', 'dlq.2', 'dlq.3', 'dlq.4', 'dlq.5', 'dlq.6']

await onBrokers('postgres', ['15'], (broker) => {
  const open = (): Promise<House> => openHouse(broker, '', undefined, graves)

  describe('sources of several control planes', { timeout: patience }, () => {
    test('are shared out: two each for three, and a new one gets its share', async () => {
      const house = await open()
      const all = [await house.start()]
      await areShared(all, [6])
      all.push(await house.start())
      await areShared(all, [3, 3])
      all.push(await house.start())
      await areShared(all, [2, 2, 2])
      await dieEverywhere(house, 0, 60)
      await allKept(house, 60)
      await isSound(house, 60)
    })

    test('go to the others at once when one of them ends in order', async () => {
      const house = await open()
      const [one, ...others] = [await house.start(), await house.start(), await house.start()]
      await areShared([one, ...others], [2, 2, 2])
      await one.stop()
      await areShared(others, [3, 3])
      await dieEverywhere(house, 0, 60)
      await allKept(house, 60)
      await isSound(house, 60)
    })

    test.each(fates)('go to the others when one of them %s, and every letter is kept once', async (_, fate) => {
      const house = await open()
      const [one, ...others] = [await house.start(), await house.start(), await house.start()]
      await areShared([one, ...others], [2, 2, 2])
      const dying = dieEverywhere(house, 0, 600)
      await until('they collect', async () => (await keptIn(house)) > 0, patience)
      await fate.begin(one)
      const begun = performance.now()
      await areShared(others, [3, 3])
      console.log(`the others have its sources after ${Math.round(performance.now() - begun)} ms`)
      await dying
      await allKept(house, 600)
      fate.end(one)
      if (fate === frozen) await areShared([one, ...others], [2, 2, 2])
      await dieEverywhere(house, 600, 660)
      await allKept(house, 660)
      await isSound(house, 660)
    })
  })

  describe('one that was frozen with letters in its hands', { timeout: patience }, () => {
    /** What became of what it writes when it wakes up, and another one has the source by then. */
    async function wokenUp(...plants: readonly Plant[]): Promise<{ readonly house: House; readonly outcome: string }> {
      const house = await openHouse(broker)
      const one = await house.start('holds-letters', ...plants)
      await until('it collects', async () => (await one.collects()).length === 1, patience)
      const holds = one.says()
      await die(house, 0, 1)
      await holds
      one.freeze()
      const other = await house.start()
      await until('the other one collects', async () => (await other.collects()).length === 1, patience)
      one.wake()
      const said = one.says()
      one.letGo()
      return { house, outcome: await said }
    }

    test('keeps none of them when it wakes up: they are kept by who collects them then', async () => {
      const { house, outcome } = await wokenUp()
      expect(outcome).toBe('refused')
      await allKept(house, 1)
    })

    test('planted bug: one whose share is not asked for keeps them all the same', async () => {
      expect((await wokenUp('unfenced-shares')).outcome).toBe('written')
    })
  })

  /** A letter is kept before its broker forgets it, and whoever was killed in between is given it again. */
  async function isSound(house: House, letters: number): Promise<void> {
    const left = () => Promise.all(graves.map(async (channel) => (await copiesIn(house.transport, channel)).size))
    await until('the broker has none left', async () => (await left()).every((copies) => copies === 0), patience)
    const known = (await house.barely<{ message_id: string }>('SELECT message_id FROM letters')).map((row) => row.message_id)
    expect([known.length, new Set(known).size]).toEqual([letters, letters])
    expect((await checkConservation(house.vault, systemClock)).holds).toBe(true)
  }
})

/** Each has so many, whichever of them has more, and nobody has what another one has. */
async function areShared(instances: readonly Instance[], counts: readonly number[]): Promise<void> {
  await until(
    `the sources are shared out as ${counts.join(', ')}`,
    async () => {
      const all = await Promise.all(instances.map((each) => each.collects()))
      const had = all.map(({ length }) => length).toSorted((one, other) => one - other)
      return new Set(all.flat()).size === graves.length && had.join() === counts.join()
    },
    patience,
  )
}

async function dieEverywhere({ transport }: House, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) {
    await transport.send({ name: graves[n % graves.length] ?? '' }, deadLetter({ n }))
  }
}

import { describe, expect, onTestFinished, test } from 'vitest'
import { onBrokers } from '../brokers/on-brokers.ts'
import { until } from '../until.ts'
import type { Plant } from './instance.program.ts'
import {
  allKept,
  copiesIn,
  die,
  grave,
  isSent,
  openHouse,
  origin,
  patience,
  sendBack,
  standsBy,
  startTwo,
  whoWorks,
} from './instances.ts'

await onBrokers('postgres', ['15'], (broker) => {
  describe('one that was frozen with letters in its hands', { timeout: patience }, () => {
    /**
     * Letters of one key leave one after the other. While it is frozen, a person looks which of its letters have arrived, and sends the others again. How
     * many arrive twice when it wakes up: one may have been about to leave. `sendsOn` tells when one with a planted bug has shown it.
     */
    async function sentTwice(
      plants: readonly Plant[],
      sendsOn: (twice: () => Promise<number>) => Promise<void>,
    ): Promise<number> {
      // What was asked before it froze is answered meanwhile. Whether it reads that or looks at its clock first would be chance.
      const house = await openHouse(broker, '', onTestFinished, [grave], 'answerWithin: 10m')
      const { worker, other } = await startTwo(house, ...plants)
      await die(house, 0, 300, { key: 'of one customer' })
      await allKept(house, 300)
      const first = await sendBack(other, 1000)
      await until('some were sent', async () => (await copiesIn(house.transport, origin)).size > 10, patience)
      worker.freeze()
      await whoWorks([other])
      await isSent(other, first)
      const arrived = await copiesIn(house.transport, origin)
      const { letters } = await other.plane.letters.find({ filter: 'state:unknown', limit: 200 })
      const missing = letters.filter(({ messageId }) => !arrived.has(Number(messageId?.split('-')[1]))).map(({ id }) => id)
      await other.plane.replays.decideUnknown(missing, 'open', { actor: 'ana' })
      await isSent(other, await sendBack(other, 1000))
      const countTwice = async (): Promise<number> =>
        [...(await copiesIn(house.transport, origin)).values()].filter((count) => count > 1).length
      worker.wake()
      await sendsOn(countTwice)
      worker.letGo()
      await standsBy(worker)
      await worker.stop()
      const twice = await countTwice()
      console.log(`${letters.length} were unknown, ${missing.length} of them sent again, ${twice} arrived twice`)
      return twice
    }

    test('sends none of them when it wakes up', async () => {
      expect(await sentTwice([], async () => {})).toBeLessThanOrEqual(1)
    })

    test('planted bug: one that does not ask for its lease sends them all the same', async () => {
      const someArriveTwice = (twice: () => Promise<number>): Promise<void> =>
        until('some arrive twice', async () => (await twice()) > 1, patience)
      expect(await sentTwice(['sends-after-its-lease'], someArriveTwice)).toBeGreaterThan(1)
    })
  })
})

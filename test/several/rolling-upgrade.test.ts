import { describe, expect, onTestFinished, test } from 'vitest'
import { knownTables } from '../../src/vault/postgres/tables.ts'
import { openStub } from '../alerts/stub.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { until } from '../until.ts'
import {
  allKept,
  copiesIn,
  die,
  grave,
  type House,
  type Instance,
  isSent,
  openHouse,
  origin,
  patience,
  sendBack,
  startTwo,
} from './instances.ts'
import { visitorsTo } from './visitors.ts'

const letters = 240
const sentBack = letters / 3
const known = knownTables.length

async function versionsSeenBy(instance: Instance): Promise<readonly number[]> {
  return (await instance.duty()).instances.map(({ knows }) => knows).toSorted((one, other) => one - other)
}

/** Asked of the tables: code of today may be refused by them. */
async function rowsWhere({ barely }: House, condition: string): Promise<number> {
  const [found] = await barely<{ rows: number }>(`SELECT count(*)::int AS rows FROM letters WHERE ${condition}`)
  return found?.rows ?? 0
}

await onBrokers('postgres', ['15'], (broker) => {
  describe('control planes that are replaced by those of the next version, one after the other', { timeout: patience }, () => {
    /** Two of today, whose alerts are told to somebody. */
    async function today() {
      const stub = await openStub((response) => response.writeHead(202).end())
      onTestFinished(() => stub.close())
      const hook = `{ type: webhook, url: "${stub.url}", allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }`
      const house = await openHouse(broker, `notifiers:\n  hook: ${hook}\n`)
      const pair = await startTwo(house)
      await die(house, 0, sentBack)
      await allKept(house, sentBack)
      const told = () => stub.requests.filter(({ json }) => json.reason === 'first').map(({ json }) => json.id as string)
      return { house, ...pair, told }
    }

    /** New ones are there, old ones work, and rows are filled; nothing has gone that old ones use, so that one more of them can come. */
    async function areSideBySide(house: House, old: Instance, next: Instance): Promise<void> {
      for (const each of [old, next]) expect(await versionsSeenBy(each)).toEqual([known, known, known + 1])
      await until('rows of before are filled', async () => (await rowsWhere(house, "shop = 'main'")) >= sentBack, patience)
      expect(await house.barely('SELECT version, settled, oldest FROM vault_version')).toEqual([
        { version: known + 1, settled: known, oldest: 0 },
      ])
      const late = await house.start()
      expect((await late.plane.letters.find({ limit: 1 })).letters).toHaveLength(1)
      await late.stop()
    }

    test('lose nothing, send nothing twice and refuse nobody; what the old ones used goes when the last of them is gone', async () => {
      const { house, worker, other, told } = await today()
      const replay = await sendBack(other, 8)
      const visitors = visitorsTo([worker, other], onTestFinished)
      const dying = die(house, sentBack, letters)

      const first = await house.start('next-version')
      visitors.comeTo(first)
      await areSideBySide(house, worker, first)
      await visitors.leave(other)
      await other.stop()
      const second = await house.start('next-version')
      visitors.comeTo(second)
      await visitors.leave(worker)
      await worker.stop()

      await dying
      await until('all are kept', async () => (await rowsWhere(house, 'true')) === letters, patience)
      await isSent(second, replay)
      await until('nothing is left to do', async () => (await rowsWhere(house, "shop = 'main'")) === letters, patience)
      const tables = "SELECT settled, oldest, to_regclass('contents')::text AS contents FROM vault_version"
      const settled = async () => (await house.barely<{ settled: number }>(tables))[0]?.settled
      await until('what the old ones used is gone', async () => (await settled()) === known + 1, patience)
      expect(await house.barely(tables)).toEqual([{ settled: known + 1, oldest: known + 1, contents: null }])
      await visitors.end()
      console.log(`${visitors.served} requests were served, and ${visitors.refused.length} refused`)
      expect(visitors.refused).toEqual([])
      await until('the broker has none left', async () => (await copiesIn(house.transport, grave)).size === 0, patience)
      expect((await second.plane.conservation()).holds).toBe(true)
      const copies = await copiesIn(house.transport, origin)
      const { unknown } = (await second.plane.replays.show(replay)).counts
      expect(copies.size + unknown).toBe(sentBack)
      expect([...copies.values()].filter((count) => count > 1)).toEqual([])
      expect(told()).not.toEqual([])
      expect(new Set(told()).size).toBe(told().length)

      await expect(house.start()).rejects.toThrow('It ended with')
      await expect(house.vault.read('listSources', undefined)).rejects.toMatchObject({ code: 'store-newer' })
    })

    test('planted bug: where what the old ones use goes at once, they refuse people', async () => {
      const { house, worker, other } = await today()
      const visitors = visitorsTo([worker, other], onTestFinished)
      await house.start('hasty-version')
      await until('somebody is refused', () => visitors.refused.length > 0, patience)
      await visitors.end()
    })
  })
})

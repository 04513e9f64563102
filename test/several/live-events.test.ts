import { describe, expect, onTestFinished, test } from 'vitest'
import { lineName } from '../../src/vault/postgres/line.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'
import { until } from '../until.ts'
import type { Plant } from './instance.program.ts'
import { allKept, die, type House, type Instance, openHouse, patience, startTwo } from './instances.ts'

interface Listening {
  readonly house: House
  readonly other: Instance
  /** Names of events, as they came. */
  readonly heard: string[]
}

await onBrokers('postgres', ['15'], (broker) => {
  describe('live events', { timeout: patience }, () => {
    /** Listens to one that stands by. */
    async function listening(...plants: readonly Plant[]): Promise<Listening> {
      const house = await openHouse(broker)
      const { other } = await startTwo(house, ...plants)
      const leaving = new AbortController()
      onTestFinished(() => leaving.abort())
      const headers = { authorization: `Bearer ${house.token}` }
      const response = await fetch(`${other.address}/api/v1/events`, { headers, signal: leaving.signal })
      const heard: string[] = []
      void read(response, heard).catch(() => {})
      return { house, other, heard }
    }

    async function read(response: Response, heard: string[]): Promise<void> {
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        heard.splice(0, heard.length, ...[...text.matchAll(/^event: (.*)$/gm)].map(([, name = '']) => name))
      }
    }

    /** While the other one collects; `last` is what it is to hear in the end. */
    async function heardOf(last: readonly string[], ...plants: readonly Plant[]): Promise<readonly string[]> {
      const { house, other, heard } = await listening(...plants)
      await die(house, 0, 5)
      await allKept(house, 5)
      const { letters } = await other.plane.letters.find({ limit: 1 })
      await other.plane.letters.discard({ letters: letters.map(({ id }) => id) }, { actor: 'ana' })
      await until('it is heard', () => last.every((name) => heard.includes(name)), patience)
      return heard
    }

    test('of the one that works reach clients of another one', async () => {
      expect(await heardOf(['letters', 'alert'])).toContain('alert')
    })

    test('planted bug: without notifications they do not', async () => {
      expect(await heardOf(['letters'], 'deaf')).not.toContain('alert')
    })

    test('say that something may have been missed, after the connection was lost by which they come', async () => {
      const { heard } = await listening()
      const resets = () => heard.filter((name) => name === 'reset').length
      const before = resets()
      const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${lineName}'`
      await withClient(broker.url, (client) => client.query(cut))
      await until('a reset', () => resets() > before, patience)
    })
  })
})

import { describe, expect, onTestFinished, test } from 'vitest'
import { checkConservation } from '../../src/ops/conservation.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { usualTiming } from '../../src/vault/postgres/lease-timing.ts'
import { lineName } from '../../src/vault/postgres/line.ts'
import { openStub } from '../alerts/stub.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { withClient } from '../brokers/postgres.ts'
import { deadLetter } from '../control/letters.fixture.ts'
import { until } from '../until.ts'
import type { Plant } from './instance.program.ts'
import { copiesIn, grave, type House, type Instance, openHouse, origin, patience, whoWorks } from './instances.ts'

/** What befalls the one that works, and how that ends. A process that was killed does not wake up. */
interface Fate {
  begin(instance: Instance): Promise<void>
  end(instance: Instance): void
}

const killed: Fate = { begin: (instance) => instance.kill(), end: () => {} }
const frozen: Fate = { begin: async (instance) => instance.freeze(), end: (instance) => instance.wake() }

const fates: [string, Fate][] = [
  ['is killed with SIGKILL', killed],
  ['is frozen for longer than its lease, and wakes up', frozen],
]

async function die({ transport }: House, from: number, to: number, more: { readonly key?: string } = {}): Promise<void> {
  for (let n = from; n < to; n++) await transport.send({ name: grave }, deadLetter({ n, ...more }))
}

async function keptIn({ vault }: House): Promise<number> {
  const [balance] = await vault.read('balanceSources', undefined)
  return balance?.rows ?? 0
}

/** Whoever was frozen answers again, and stands by. */
const standsBy = (instance: Instance) =>
  until('the one that woke up stands by', async () => !(await instance.duty()).works, patience)

await onBrokers('postgres', ['15'], (broker) => {
  describe('several control planes on one vault', () => {
    test(
      'are one that works and others that stand by, and any of them answers; in order, the next has its turn',
      async () => {
        const house = await openHouse(broker)
        const both = [await house.start(), await house.start()]
        const worker = await whoWorks(both)
        const other = both.find((each) => each !== worker) as Instance
        expect(await other.duty()).toMatchObject({ works: false, worker: { name: (await worker.duty()).instance } })
        await die(house, 0, 20)
        await until('letters are kept', async () => (await keptIn(house)) === 20, patience)
        for (const each of both) expect((await each.plane.letters.find({ limit: 50 })).letters).toHaveLength(20)
        await worker.stop()
        await whoWorks([other])
        await die(house, 20, 30)
        await until('the other one collects', async () => (await keptIn(house)) === 30, patience)
      },
      patience,
    )

    describe.each(fates)('when the one that works %s', (_, fate) => {
      test(
        'while it collects, another one goes on, and every letter is kept once',
        async () => {
          const house = await openHouse(broker)
          const all = [await house.start(), await house.start(), await house.start()]
          const worker = await whoWorks(all)
          const dying = die(house, 0, 300)
          await until('it collects', async () => (await keptIn(house)) > 0, patience)
          await fate.begin(worker)
          const begun = performance.now()
          const others = all.filter((each) => each !== worker)
          await whoWorks(others)
          console.log(`another one works after ${Math.round(performance.now() - begun)} ms`)
          await dying
          await until('all are kept', async () => (await keptIn(house)) === 300, patience)
          fate.end(worker)
          if (fate === frozen) await standsBy(worker)
          await die(house, 300, 320)
          await until('those that came later are kept', async () => (await keptIn(house)) === 320, patience)
          expect((await copiesIn(house.transport, grave)).size).toBe(0)
          expect((await checkConservation(house.vault, systemClock)).holds).toBe(true)
        },
        patience,
      )

      test(
        'while it replays what another one was asked for, every letter is sent once or unknown',
        async () => {
          const { sentTwice, notSent } = await replayed(fate)
          expect({ sentTwice, notSent }).toEqual({ sentTwice: 0, notSent: 0 })
        },
        patience,
      )
    })

    interface Replayed {
      readonly sentTwice: number
      /** Neither sent nor unknown. */
      readonly notSent: number
    }

    /** A replay is asked of one that stands by. When some letters were sent, the one that works meets its fate. */
    async function replayed(fate: Fate, ...plants: readonly Plant[]): Promise<Replayed> {
      const house = await openHouse(broker)
      const both = [await house.start(...plants), await house.start(...plants)]
      const letters = 300
      await die(house, 0, letters)
      await until('all are kept', async () => (await keptIn(house)) === letters, patience)
      const worker = await whoWorks(both)
      const other = both.find((each) => each !== worker) as Instance
      const wishes = { rate: 100, canary: undefined, observe: 3_600_000 }
      const { replay } = await other.plane.replays.seal({ filter: 'state:open' }, { ...wishes, name: 'back', actor: 'ana' })
      await other.plane.replays.start(replay.id, { actor: 'ana' })
      await until('some were sent', async () => (await copiesIn(house.transport, origin)).size > 50, patience)
      await fate.begin(worker)
      await whoWorks([other])
      const counts = async () => (await other.plane.replays.show(replay.id)).counts
      await until('all were sent', async () => (await counts()).planned + (await counts()).claimed === 0, patience)
      fate.end(worker)
      if (fate === frozen) await standsBy(worker)
      const copies = await copiesIn(house.transport, origin)
      const { unknown } = await counts()
      const sentTwice = [...copies.values()].filter((count) => count > 1).length
      return { sentTwice, notSent: Math.max(0, letters - copies.size - unknown) }
    }

    describe('one that was frozen with letters in its hands', () => {
      /**
       * Letters of one key leave one after the other. While it is frozen, a person looks which of its letters have arrived, and sends the others again. How
       * many arrive twice when it wakes up: one may have been about to leave.
       */
      async function sentTwice(...plants: readonly Plant[]): Promise<number> {
        const house = await openHouse(broker)
        const both = [await house.start(...plants), await house.start(...plants)]
        await die(house, 0, 300, { key: 'of one customer' })
        await until('all are kept', async () => (await keptIn(house)) === 300, patience)
        const worker = await whoWorks(both)
        const { plane, duty } = both.find((each) => each !== worker) as Instance
        async function sendBack(): Promise<number> {
          const wishes = { rate: 1000, canary: undefined, observe: 3_600_000 }
          const { replay } = await plane.replays.seal({ filter: 'state:open' }, { ...wishes, name: 'back', actor: 'ana' })
          await plane.replays.start(replay.id, { actor: 'ana' })
          return replay.id
        }
        const isSent = async (replay: number) => {
          const { counts } = await plane.replays.show(replay)
          return counts.planned + counts.claimed === 0
        }
        const first = await sendBack()
        await until('some were sent', async () => (await copiesIn(house.transport, origin)).size > 10, patience)
        worker.freeze()
        await until('the other one works', async () => (await duty()).works, patience)
        await until('the rest was sent', () => isSent(first), patience)
        const arrived = await copiesIn(house.transport, origin)
        const { letters } = await plane.letters.find({ filter: 'state:unknown', limit: 200 })
        const missing = letters.filter(({ messageId }) => !arrived.has(Number(messageId?.split('-')[1])))
        await plane.replays.decideUnknown(
          missing.map(({ id }) => id),
          'open',
          { actor: 'ana' },
        )
        const again = await sendBack()
        await until('the others were sent again', () => isSent(again), patience)
        worker.wake()
        await standsBy(worker)
        await worker.stop()
        const twice = [...(await copiesIn(house.transport, origin)).values()].filter((count) => count > 1).length
        console.log(`${letters.length} were unknown, ${missing.length} of them sent again, ${twice} arrived twice`)
        return twice
      }

      test(
        'sends none of them when it wakes up',
        async () => {
          expect(await sentTwice()).toBeLessThanOrEqual(1)
        },
        patience,
      )

      test(
        'planted bug: one that does not ask for its lease sends them all the same',
        async () => {
          expect(await sentTwice('sends-after-its-lease')).toBeGreaterThan(1)
        },
        patience,
      )
    })

    describe('the one that works', () => {
      /** Whether it is the same one for longer than a lease lasts, though nothing befell it. */
      async function stays(...plants: readonly Plant[]): Promise<boolean> {
        const house = await openHouse(broker)
        const [first, second] = [await house.start(...plants), await house.start(...plants)]
        const worker = await whoWorks([first, second])
        const since = (await worker.duty()).worker?.since
        const endsAt = performance.now() + 2 * usualTiming.lasts
        let isSame = true
        await until('two leases have passed', async () => {
          const now = (await second.duty()).worker
          if (now && now.since !== since) isSame = false
          return !isSame || performance.now() > endsAt
        })
        return isSame
      }

      test(
        'goes on to be it',
        async () => {
          expect(await stays()).toBe(true)
        },
        patience,
      )

      test(
        'planted bug: with a lease that is not renewed it is another one soon',
        async () => {
          expect(await stays('not-renewed')).toBe(false)
        },
        patience,
      )

      test(
        'finds what others were asked for, though nobody tells it',
        async () => {
          const { sentTwice, notSent } = await replayed(killed, 'deaf')
          expect({ sentTwice, notSent }).toEqual({ sentTwice: 0, notSent: 0 })
        },
        patience,
      )
    })

    describe('live events', () => {
      interface Listening {
        readonly house: House
        readonly other: Instance
        /** Names of events, as they came. */
        readonly heard: string[]
      }

      /** Listens to one that stands by. */
      async function listening(...plants: readonly Plant[]): Promise<Listening> {
        const house = await openHouse(broker)
        const both = [await house.start(...plants), await house.start(...plants)]
        const worker = await whoWorks(both)
        const other = both.find((each) => each !== worker) as Instance
        const leaving = new AbortController()
        onTestFinished(() => leaving.abort())
        const headers = { authorization: `Bearer ${house.token}` }
        const response = await fetch(`${other.address}/api/v1/events`, { headers, signal: leaving.signal })
        const heard: string[] = []
        void read(response, heard).catch(() => {})
        return { house, other, heard }
      }

      /** While the other one collects; `last` is what it is to hear in the end. */
      async function heardOf(last: readonly string[], ...plants: readonly Plant[]): Promise<readonly string[]> {
        const { house, other, heard } = await listening(...plants)
        await die(house, 0, 5)
        await until('all are kept', async () => (await keptIn(house)) === 5, patience)
        const { letters } = await other.plane.letters.find({ limit: 1 })
        await other.plane.letters.discard({ letters: letters.map(({ id }) => id) }, { actor: 'ana' })
        await until('it is heard', () => last.every((name) => heard.includes(name)), patience)
        return heard
      }

      async function read(response: Response, heard: string[]): Promise<void> {
        let text = ''
        for await (const chunk of response.body ?? []) {
          text += Buffer.from(chunk).toString()
          heard.splice(0, heard.length, ...[...text.matchAll(/^event: (.*)$/gm)].map(([, name = '']) => name))
        }
      }

      test(
        'say that something may have been missed, after the connection was lost by which they come',
        async () => {
          const { heard } = await listening()
          const resets = () => heard.filter((name) => name === 'reset').length
          const before = resets()
          const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${lineName}'`
          await withClient(broker.url, (client) => client.query(cut))
          await until('a reset', () => resets() > before, patience)
        },
        patience,
      )

      test(
        'of the one that works reach clients of another one',
        async () => {
          expect(await heardOf(['letters', 'alert'])).toContain('alert')
        },
        patience,
      )

      test(
        'planted bug: without notifications they do not',
        async () => {
          expect(await heardOf(['letters'], 'deaf')).not.toContain('alert')
        },
        patience,
      )
    })

    test.each(fates)(
      'when the one that works %s while it alerts, each alert is told once',
      async (_, fate) => {
        const told = Promise.withResolvers<void>()
        let isFirst = true
        const stub = await openStub((response) => {
          // The first one meets its fate before it is answered, and nobody heard of it.
          if (isFirst) told.resolve()
          else response.writeHead(202).end()
          isFirst = false
        })
        onTestFinished(() => stub.close())
        const house = await openHouse(
          broker,
          `notifiers:\n  hook: { type: webhook, url: "${stub.url}", allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }\n`,
        )
        const both = [await house.start(), await house.start()]
        const worker = await whoWorks(both)
        const other = both.find((each) => each !== worker) as Instance
        await die(house, 0, 5)
        await told.promise
        await fate.begin(worker)
        await whoWorks([other])
        await until(
          'it is told',
          async () => (await house.vault.read('listDeliveries', { state: 'sent', limit: 10 })).length > 0,
          patience,
        )
        fate.end(worker)
        if (fate === frozen) {
          await standsBy(worker)
          await worker.stop()
        }
        const first = stub.requests.filter(({ json }) => json.reason === 'first')
        const groups = new Set(first.map(({ json }) => `${json.group.dedupKey} ${json.group.episode}`))
        expect(new Set(first.map(({ json }) => json.id)).size).toBe(groups.size)
        expect(first.flatMap(({ json }) => json.alerts.map(({ rule }: { rule: string }) => rule))).toContain('dlq.any')
      },
      patience,
    )
  })
})

import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channels } from '../../examples/02-payments/messages.ts'
import type { Broker } from '../../scripts/brokers/start.ts'
import type { LedgerCounts } from '../../src/core/canary.ts'
import type { ControlPlane } from '../../src/ops/control-plane.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createServer } from '../../src/server/server.ts'
import { rocketmq } from '../../src/transports/rocketmq/rocketmq.ts'
import { openVault } from '../control/letters.fixture.ts'
import { tokenOf } from '../control/token.fixture.ts'
import { type RunningProgram, startProgram } from '../program.ts'
import { until } from '../until.ts'
import { onBrokers } from './on-brokers.ts'
import { rocketmqVersions } from './rocketmq-subjects.ts'

/** Bounds what hangs, and not what is slow. Milliseconds. */
const patience = 240_000
const by = { actor: 'ana' }
const hour = 3_600_000
/** Of its 20 payments two never get an answer, and the account of a third is closed. */
const seed = ['--seed', '21']

type Environment = Readonly<Record<string, string>>

function startPayments({ url }: Broker, args: readonly string[], env: Environment = {}): RunningProgram {
  const where = ['--transport', 'rocketmq', '--url', url]
  return startProgram(resolve('examples/02-payments/main.ts'), [...where, ...seed, ...args], { env })
}

interface Inbox {
  readonly plane: ControlPlane
  /** Workers alone, which report to it, for as long as something goes on. */
  whileWorking(args: readonly string[], doing: (workers: RunningProgram) => Promise<void>): Promise<void>
}

async function openInbox(broker: Broker): Promise<Inbox> {
  const transport = rocketmq({ url: broker.url, group: 'inbox', pollFor: '500ms' })
  const address = { name: channels.deadSettlements }
  await transport.provision({ channels: [{ address, role: 'dead-letter' }] }, 'apply')
  const vault = openVault()
  const plane = createControlPlane({
    ...{ vault, clock: systemClock, newId: newUuid, draw: randomBytes },
    sources: [{ connection: 'rocket', transport, address, mode: 'collect' }],
    transportNamed: (name) => (name === 'rocket' ? transport : undefined),
  })
  const server = await createServer({ controlPlane: plane, vault, passwordCost: 4 })
  const [url, token] = [await server.listen(), await tokenOf(vault, 'consumer')]
  onTestFinished(async () => {
    await server.close()
    await plane.close()
    await transport.close()
  })
  await plane.start()
  return {
    plane,
    async whileWorking(args, doing) {
      const reporting = ['--role', 'workers', '--control-plane', url, ...args]
      const workers = startPayments(broker, reporting, { REDRIVE_TOKEN: token })
      const ended = workers.exit.then((code) => Promise.reject(new Error(`It ended with ${code}:\n${workers.output()}`)))
      ended.catch(() => {})
      try {
        await Promise.race([doing(workers), ended])
      } finally {
        workers.child.kill('SIGTERM')
        expect(await workers.exit).toBe(0)
      }
    },
  }
}

/** Where each open letter died. */
async function openLetters(plane: ControlPlane): Promise<readonly string[]> {
  const { letters } = await plane.letters.find({ filter: 'state:open', limit: 100 })
  return letters.map(({ channel, originGroup }) => `${channel} ${originGroup}`)
}

/** Sends every open letter back, and waits until the replay has come to this. */
async function replayUntil(plane: ControlPlane, reached: (counts: LedgerCounts) => boolean): Promise<void> {
  const wishes = { ...by, name: 'the acquirer is back', rate: 1000, canary: undefined, observe: hour }
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
  await plane.replays.start(replay.id, by)
  await until('the replay has come so far', async () => reached((await plane.replays.show(replay.id)).counts), patience)
}

/** Payments of which a line of this kind tells. */
function told(kind: 'buried' | 'settled', { output }: RunningProgram): readonly string[] {
  return [...output().matchAll(new RegExp(`${kind} +(tx-\\S+)`, 'g'))].map(([, id = '']) => id).sort()
}

await onBrokers('rocketmq', rocketmqVersions, (broker, version) => {
  describe(`the payments on RocketMQ ${version}`, { timeout: 4 * patience }, () => {
    let dead: readonly string[] = []

    test('are all settled or dead, and the monitor consumes none of the dead', async () => {
      const payments = startPayments(broker, ['--once', '--count', '20'])
      expect([await payments.exit, payments.output()]).toEqual([
        0,
        expect.stringContaining('settled 17, dead-lettered 3, invalid 0'),
      ])
      expect(payments.output()).toContain('the dead-letter channel holds 3; the monitor consumed none')
      dead = told('buried', payments)
    })

    test('stand in the inbox when they are dead, come back to it while nothing is mended, and are settled once it is', async () => {
      expect(dead).toHaveLength(3)
      const { plane, whileWorking } = await openInbox(broker)
      const allInTheInbox = async () =>
        String(await openLetters(plane)) === String(dead.map(() => `${channels.settlements} redrive`))
      await until('every letter is in the inbox', allInTheInbox, patience)

      await whileWorking([], async (workers) => {
        await replayUntil(plane, ({ returned }) => returned === dead.length)
        // A letter is in its channel before its source is settled, and only then the workers tell of it.
        await until('the workers tell of each', () => told('buried', workers).length >= dead.length, patience)
        expect([told('settled', workers), told('buried', workers)]).toEqual([[], dead])
      })
      await until('every letter is back in the inbox', allInTheInbox, patience)

      await whileWorking(['--mended'], async (workers) => {
        await replayUntil(plane, ({ succeeded }) => succeeded === dead.length)
        expect([told('settled', workers), told('buried', workers)]).toEqual([dead, []])
      })
      expect(await openLetters(plane)).toEqual([])
    })
  })
})

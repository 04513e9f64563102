import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { type SqliteInbox, sqliteInbox } from '../../src/inbox/sqlite-inbox.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { createTestBench } from '../../src/testing/testing.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { memoryVault } from './memory-vault.ts'
import { Order, wishes } from './shop.fixture.ts'

const orders = 3
const atOnce = { ...wishes, canary: undefined }

interface Evidence {
  /** Whether the handler was given more than there were letters. */
  readonly wasSentTwice: boolean
  readonly booked: readonly number[]
}

/**
 * A control plane sends a letter back and is killed before it can write that down. The next one goes on with the others; of this one nobody knows
 * whether it arrived. A person says that it did not, and sends it again. It had arrived.
 */
async function sentTwice(inbox: (db: DatabaseSync) => Pick<SqliteInbox, 'claim'>): Promise<Evidence> {
  const bench = createTestBench()
  const { clock, transport } = bench
  const vault = memoryVault()
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE bookings (booked INTEGER)')
  const { claim } = inbox(db)
  let isBroken = true
  let deliveries = 0
  const consumer = bench.consumer({ service: 'orders' })
  consumer.channel('order', { deadLetter: 'dlq.order', order: 'none', breaker: false }).on(
    Order,
    ({ order }, ctx) => {
      if (isBroken) throw new Error('the books are closed')
      deliveries++
      db.exec('BEGIN IMMEDIATE')
      if (claim(ctx) === 'first') db.prepare('INSERT INTO bookings VALUES (?)').run(order)
      db.exec('COMMIT')
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  /** It has sent a letter, and dies before it can write anything more. */
  let isDead = false
  const mortal: Vault = {
    ...vault,
    write: ((name: never, input: never) =>
      isDead ? Promise.reject(new RedriveError('store-failed', 'killed')) : vault.write(name, input)) as Vault['write'],
  }
  const lethal: Transport = {
    ...transport,
    async send(...sent) {
      const receipt = await transport.send(...sent)
      isDead = true
      return receipt
    },
  }
  const planeOn = (kept: Vault, broker: Transport): RunningControlPlane =>
    createControlPlane({
      ...{ vault: kept, clock, newId: () => 'name', draw: (bytes: number) => new Uint8Array(bytes) },
      sources: [{ connection: 'shop', transport, address: { name: 'dlq.order' }, mode: 'collect' }],
      transportNamed: () => broker,
    })
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    for (let rounds = 0; !(await condition()); rounds++) {
      if (rounds > 2000) throw new Error('It did not happen.')
      await clock.advance(100)
    }
  }
  const lettersOf = async (plane: RunningControlPlane, state: string): Promise<readonly number[]> =>
    (await plane.letters.find({ filter: `state:${state}`, limit: 100 })).letters.map(({ id }) => id)
  const replayAll = async (plane: RunningControlPlane): Promise<number> => {
    const { replay } = await plane.replays.seal({ filter: 'state:open' }, atOnce)
    await plane.replays.start(replay.id, wishes)
    return replay.id
  }

  await consumer.start()
  for (let order = 0; order < orders; order++) await bench.producer.send(Order, { order, customer: 'c' })
  const killed = planeOn(mortal, lethal)
  await killed.start()
  await until(async () => (await lettersOf(killed, 'open')).length === orders)
  isBroken = false
  const first = await replayAll(killed)
  await until(async () => isDead && deliveries > 0)
  await killed.close()

  const next = planeOn(vault, transport)
  onTestFinished(async () => {
    await next.close()
    await consumer.stop()
    await vault.close()
    db.close()
  })
  await next.start()
  await until(async () => (await next.replays.show(first)).replay.state === 'done')
  const { unknown } = (await next.replays.show(first)).counts
  expect(unknown).toBeGreaterThan(0)
  await next.replays.decideUnknown(await lettersOf(next, 'unknown'), 'open', wishes)
  const again = await replayAll(next)
  await until(async () => (await next.replays.show(again)).replay.state === 'done')
  const rows = db.prepare('SELECT booked FROM bookings ORDER BY booked').all()
  return { wasSentTwice: deliveries > orders, booked: rows.map(({ booked }) => Number(booked)) }
}

test('a letter that was sent back twice is processed once by a handler that claims it in its own transaction', async () => {
  expect(await sentTwice((db) => sqliteInbox(db, { scope: 'billing' }))).toEqual({ wasSentTwice: true, booked: [0, 1, 2] })
})

test('and would be seen to be processed twice without an inbox, and with one that tells replays apart and not letters', async () => {
  const bookedTwice = ({ booked }: Evidence): boolean => booked.length > orders
  expect(bookedTwice(await sentTwice(() => ({ claim: () => 'first' })))).toBe(true)
  const byReplay = new Set<string>()
  const tellsReplaysApart = await sentTwice(() => ({
    claim({ message: { id, headers } }) {
      const key = JSON.stringify([id, headers.find(([name]) => name === 'redrive-replay')])
      const isFirst = !byReplay.has(key)
      byReplay.add(key)
      return isFirst ? 'first' : 'done'
    },
  }))
  expect(bookedTwice(tellsReplaysApart)).toBe(true)
})

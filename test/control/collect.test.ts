import { expect, onTestFinished, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { collect } from '../../src/ops/collect.ts'
import { ingestAll } from '../../src/ops/ingest-all.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { Arrival } from '../../src/vault/arrival.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { arrival, deadLetter, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

const everything = { condition: { where: '1 = 1', parameters: [] }, limit: 1000 }

/** A database that does not take what was read from these. */
function choking(vault: Vault, isBad: (arrival: Arrival) => boolean): Vault {
  const write = async (name: string, input: { readonly arrivals?: readonly Arrival[] }): Promise<unknown> => {
    if (name === 'ingest' && input.arrivals?.some((each) => isBad(each)))
      throw new RedriveError('store-failed', 'datatype mismatch')
    return vault.write(name as never, input as never)
  }
  return { ...vault, write: write as Vault['write'] }
}

test('a letter that the database does not take as it was read is kept unread, and harms none of its neighbours', async () => {
  const vault = memoryVault()
  const source = await sourceIn(vault)
  const arrivals = Array.from({ length: 20 }, (_, n) => arrival(deadLetter({ n, type: n === 7 ? 'Bad' : 'Error' })))
  const { letters } = await ingestAll(
    choking(vault, ({ errorType }) => errorType === 'Bad'),
    { source, now: noon, arrivals },
  )
  expect(letters).toHaveLength(20)
  const found = await vault.read('findLetters', everything)
  expect(found.filter(({ dialect }) => dialect === 'unreadable')).toHaveLength(1)
  expect(found).toHaveLength(20)
})

test('once a source was seen empty, what an earlier collector had not heard about is gone from the broker', async () => {
  const clock = virtualClock()
  const [transport, vault] = [memory({ clock }), memoryVault()]
  const dead = { name: 'dlq.orders' }
  await transport.provision({ channels: [{ address: dead, role: 'dead-letter' }] }, 'apply')
  const source = await sourceIn(vault)
  await vault.write('ingest', { source, now: noon, arrivals: [arrival(deadLetter({ n: 1 }))] })
  expect(await vault.read('findLetters', everything)).toMatchObject([{ broker: 'completing' }])
  const collector = collect(
    { connection: 'shop', transport, address: dead },
    { vault, clock, draw: (bytes) => new Uint8Array(bytes) },
  )
  onTestFinished(() => collector.stop())
  await clock.advance(5000)
  expect(await vault.read('findLetters', everything)).toMatchObject([{ broker: 'gone' }])
})

test.each([
  ['what a log keeps is no letter that is left', { retained: 5, pending: 0 }, 'gone'],
  ['what lies beyond the cursor is', { retained: 5, pending: 1 }, 'completing'],
  ['what others hold of a log, unseen, may come again', { retained: 5, pending: 0, heldUnseen: 1000 }, 'completing'],
  ['nothing is left in a queue that is empty, as far as it tells', { retained: 0, pending: 0, heldUnseen: 1000 }, 'gone'],
] as const)('of a source that is collected, %s', async (_, measured, broker) => {
  const clock = virtualClock()
  const vault = memoryVault()
  const log = { ...memory({ clock }), measure: async () => measured }
  const dead = { name: 'dlq.orders' }
  await log.provision({ channels: [{ address: dead, role: 'dead-letter' }] }, 'apply')
  const source = await sourceIn(vault)
  await vault.write('ingest', { source, now: noon, arrivals: [arrival(deadLetter({ n: 1 }))] })
  const collector = collect(
    { connection: 'shop', transport: log, address: dead },
    { vault, clock, draw: (bytes) => new Uint8Array(bytes) },
  )
  onTestFinished(() => collector.stop())
  await clock.advance(5000)
  expect(await vault.read('findLetters', everything)).toMatchObject([{ broker }])
})

/** Gives one letter at a time, so that the next one is read while the last is kept. */
function oneByOne(transport: Transport): Transport {
  return {
    ...transport,
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      return { ...receiver, lost: receiver.lost, take: (_, wait) => receiver.take(1, wait) }
    },
  }
}

async function queueOf(transport: Transport, letters: number): Promise<{ readonly name: string }> {
  const dead = { name: 'dlq.orders' }
  await transport.provision({ channels: [{ address: dead, role: 'dead-letter' }] }, 'apply')
  for (let n = 1; n <= letters; n++) await transport.send(dead, deadLetter({ n }))
  return dead
}

/** How many letters can be had by somebody else, once a vault that keeps nothing has made a collector stop. */
async function leftForOthers(spoil: (transport: Transport) => Transport): Promise<number> {
  const clock = virtualClock()
  const [transport, vault] = [memory({ clock }), memoryVault()]
  const address = await queueOf(transport, 2)
  const refused = Promise.withResolvers<void>()
  const write = async (name: string, input: unknown): Promise<unknown> => {
    if (name !== 'ingest') return vault.write(name as never, input as never)
    await new Promise<void>((resolve) => clock.after(1000, resolve))
    refused.resolve()
    throw new RedriveError('unreachable', 'no database')
  }
  const collector = collect(
    { connection: 'shop', transport: spoil(oneByOne(transport)), address },
    { vault: { ...vault, write: write as Vault['write'] }, clock, draw: (bytes) => new Uint8Array(bytes) },
  )
  await clock.advance(1000)
  await refused.promise
  await collector.stop()
  const other = await transport.receive(address, { prefetch: 10, hold: 60_000 })
  return (await other.take(10, 0)).length
}

test('what was read ahead goes back to the broker when what was before it could not be kept', async () => {
  expect(await leftForOthers((transport) => transport)).toBe(2)
})

test('planted bug: where nothing goes back, nobody else has it', async () => {
  const keeping = (transport: Transport): Transport => ({ ...transport, settle: async () => {} })
  expect(await leftForOthers(keeping)).toBe(0)
})

test('what was read ahead is kept when a collector stops', async () => {
  const clock = virtualClock()
  const [transport, vault] = [memory({ clock }), memoryVault()]
  const address = await queueOf(transport, 2)
  const [begun, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const write = async (name: string, input: unknown): Promise<unknown> => {
    if (name === 'ingest') {
      begun.resolve()
      await mayGoOn.promise
    }
    return vault.write(name as never, input as never)
  }
  const collector = collect(
    { connection: 'shop', transport: oneByOne(transport), address },
    { vault: { ...vault, write: write as Vault['write'] }, clock, draw: (bytes) => new Uint8Array(bytes) },
  )
  await clock.advance(10)
  await begun.promise
  const stopped = collector.stop()
  mayGoOn.resolve()
  await stopped
  expect(await vault.read('findLetters', everything)).toHaveLength(2)
})

/** Notes in which order letters are kept and marked as completed; marking takes its time. */
async function kept(clock: VirtualClock, marking: (mark: Promise<unknown>) => Promise<unknown>): Promise<readonly string[]> {
  const [transport, vault] = [memory({ clock }), memoryVault()]
  const dead = await queueOf(transport, 2)
  const did: string[] = []
  async function write(name: string, input: unknown): Promise<unknown> {
    if (name === 'ingest') did.push('kept')
    if (name !== 'lettersCompleted') return vault.write(name as never, input as never)
    const slow = new Promise<void>((resolve) => clock.after(60_000, resolve))
    return marking(slow.then(() => vault.write(name, input as never)).then(() => did.push('marked')))
  }
  const collector = collect(
    { connection: 'shop', transport: oneByOne(transport), address: dead },
    { vault: { ...vault, write: write as Vault['write'] }, clock, draw: (bytes) => new Uint8Array(bytes) },
  )
  onTestFinished(() => collector.stop())
  await clock.advance(200_000)
  return did.slice(0, 4)
}

test('no letter is kept before it is noted that those before it are gone from the broker', async () => {
  expect(await kept(virtualClock(), (mark) => mark)).toEqual(['kept', 'marked', 'kept', 'marked'])
})

test('planted bug: where nobody waits for that, it is', async () => {
  expect(await kept(virtualClock(), async () => {})).toEqual(['kept', 'kept', 'marked', 'marked'])
})

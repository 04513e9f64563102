import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import type { Message } from '../../src/core/message.ts'
import { collect } from '../../src/ops/collect.ts'
import { ingestAll } from '../../src/ops/ingest-all.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Measure, Transport } from '../../src/transports/seam.ts'
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
  [
    'what others may still hold of a queue, unseen, may come again',
    { retained: 0, pending: 0, heldUnseen: 60_000 },
    'completing',
  ],
  ['what is told late may be from before it began', { retained: 0, pending: 0, lateBy: 60_000 }, 'completing'],
  ['what is told late is of its own time in the end', { retained: 0, pending: 0, lateBy: 1000 }, 'gone'],
  ['nothing is left in a queue of which they can hold nothing any more', { retained: 0, pending: 0, heldUnseen: 1000 }, 'gone'],
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

/** Letters of somebody else, known by nothing but what they hold: as many as there are bodies. */
async function foreignLetters(transport: Transport, ...bodies: readonly string[]): Promise<{ readonly name: string }> {
  const dead = await queueOf(transport, 0)
  const foreign = (body: string): Message => ({ body: Buffer.from(body), headers: [] })
  for (const body of bodies) await transport.send(dead, foreign(body))
  return dead
}

/** Like RabbitMQ without its management API: no letter has a place, and what has been handed out is not counted. */
function placeless(transport: Transport, measured: Partial<Measure> = {}): Transport {
  const handedOut = new Set<string>()
  return {
    ...transport,
    measure: async () => ({ retained: 0, pending: 0, ...measured }),
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      return {
        ...receiver,
        lost: receiver.lost,
        async take(max, wait) {
          const deliveries = await receiver.take(max, wait)
          return deliveries.map(({ position = '', ...delivery }) => {
            const suspect = delivery.suspect || handedOut.has(position)
            handedOut.add(position)
            return { ...delivery, suspect }
          })
        },
      }
    },
  }
}

const halfAnHour = 1_800_000

/**
 * One collector has kept two letters, and its acknowledgements never arrive. Another one takes over; 20 s later the broker finds that the first
 * one is dead. Tells what the vault knows of the letters before that, after it and in the end.
 */
async function takenOverFromTheDead(measured: Partial<Measure>) {
  const clock = virtualClock()
  const [broker, vault] = [memory({ clock }), memoryVault()]
  const address = await foreignLetters(broker, 'one', 'two')
  const dying = broker.connect()
  const options = { vault, clock, draw: (bytes: number) => randomBytes(bytes) }
  const copies = async () => (await vault.read('findLetters', everything)).map((letter) => letter.broker)
  const unheard = { ...placeless(dying), settle: () => new Promise<never>(() => {}) }
  collect({ connection: 'shop', transport: unheard, address }, options)
  await clock.advance(100)
  let asked = 0
  const blind = placeless(broker, measured)
  const measure: Transport['measure'] = (...given) => {
    asked++
    return blind.measure(...given)
  }
  const heir = collect({ connection: 'shop', transport: { ...blind, measure }, address }, options)
  onTestFinished(() => heir.stop())
  await clock.advance(20_000)
  const before = await copies()
  dying.faults.loseConnection()
  await clock.advance(20_000)
  const after = await copies()
  await clock.advance(halfAnHour)
  return { before, after, inTheEnd: await copies(), asked }
}

test('what a dead collector still holds, unseen, is known when it comes again', async () => {
  expect(await takenOverFromTheDead({ heldUnseen: halfAnHour })).toEqual({
    before: ['completing', 'completing'],
    after: ['gone', 'gone'],
    inTheEnd: ['gone', 'gone'],
    // Once to learn that others may hold something, and once when they cannot any more.
    asked: 2,
  })
})

test('planted bug: where the broker hides that others may hold letters, they are kept twice', async () => {
  const { before, after } = await takenOverFromTheDead({})
  expect([before.length, after.length]).toEqual([2, 4])
})

/** A vault that cannot note for a while what is gone from the broker. */
function forgetful(vault: Vault, failures: number): Vault {
  let left = failures
  async function write(name: string, input: unknown): Promise<unknown> {
    if (name === 'lettersCompleted' && left-- > 0) throw new RedriveError('unreachable', 'no database')
    return vault.write(name as never, input as never)
  }
  return { ...vault, write: write as Vault['write'] }
}

/** What becomes of two letters that are alike when the first one is gone from the broker, and the vault cannot note that for a while. */
async function keptOfTwins(failures: number): Promise<readonly string[]> {
  const clock = virtualClock()
  const [transport, vault] = [memory({ clock }), memoryVault()]
  const address = await foreignLetters(transport, 'alike', 'alike')
  const collector = collect(
    { connection: 'shop', transport: oneByOne(placeless(transport)), address },
    { vault: forgetful(vault, failures), clock, draw: (bytes) => randomBytes(bytes) },
  )
  onTestFinished(() => collector.stop())
  await clock.advance(60_000)
  return (await vault.read('findLetters', everything)).map(({ broker }) => broker)
}

test.each([0, 1, 3])(
  'a letter is not taken for its twin, which is gone, where that could be noted only after %i failures',
  async (failures) => {
    expect(await keptOfTwins(failures)).toEqual(['gone', 'gone'])
  },
)

test('a collector whose letters were all purged goes on after the vault was away', async () => {
  const clock = virtualClock()
  const [transport, vault] = [memory({ clock }), memoryVault()]
  const address = await queueOf(transport, 2)
  async function write(name: string, input: { readonly arrivals: readonly Arrival[] }): Promise<unknown> {
    if (name !== 'ingest') return vault.write(name as never, input as never)
    return { letters: input.arrivals.map(() => ({ id: 0, duplicate: true })), reopenedCauses: [] }
  }
  const collector = collect(
    { connection: 'shop', transport: oneByOne(transport), address },
    { vault: forgetful({ ...vault, write: write as Vault['write'] }, 1), clock, draw: (bytes) => randomBytes(bytes) },
  )
  onTestFinished(() => collector.stop())
  await clock.advance(60_000)
  expect(await transport.measure(address)).toMatchObject({ retained: 0 })
})

test('letters that were kept are told of, also where the broker does not hear that it may forget them', async () => {
  const clock = virtualClock()
  const [transport, vault] = [memory({ clock }), memoryVault()]
  const address = await queueOf(transport, 2)
  const told: number[] = []
  let refusals = 1
  const deaf: Transport = {
    ...transport,
    async settle(...settlement) {
      if (refusals-- > 0) throw new RedriveError('unsure', 'the connection is gone')
      return transport.settle(...settlement)
    },
  }
  const onKept = ({ letters }: { readonly letters: readonly number[] }) => void told.push(...letters)
  const options = { vault, clock, onKept, draw: (bytes: number) => new Uint8Array(bytes) }
  const collector = collect({ connection: 'shop', transport: deaf, address }, options)
  onTestFinished(() => collector.stop())
  await clock.advance(60_000)
  expect(told.toSorted()).toEqual((await vault.read('findLetters', everything)).map(({ id }) => id).toSorted())
})

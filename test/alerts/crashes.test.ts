import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Notification } from '../../src/core/alerts/notification.ts'
import type { DeliveryLineOptions } from '../../src/notifiers/delivery-line.ts'
import { notSent } from '../../src/outgoing/send-outcome.ts'
import type { Delivery } from '../../src/vault/operations/deliveries.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { findings, inbox, type Mortal, mortal, type News, outbox } from './outbox.fixture.ts'

const minutes = 60_000

interface Play {
  /** How many groups, and how often each of them fires and is resolved. */
  readonly groups: number
  readonly episodes: number
  /** After how many steps each process dies, one after another; the last one lives. */
  readonly deaths: readonly number[]
  readonly downFor: number
}

const anyPlay: fc.Arbitrary<Play> = fc.record({
  groups: fc.integer({ min: 1, max: 3 }),
  episodes: fc.integer({ min: 1, max: 2 }),
  deaths: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 5 }),
  downFor: fc.constantFrom(0, 10 * minutes),
})

/** Every minute one thing happens, while a sink is down and processes die. What is wrong in the end is the result. */
async function play(
  { groups, episodes, deaths, downFor }: Play,
  bug: (options: Partial<DeliveryLineOptions>) => Partial<DeliveryLineOptions> = (options) => options,
): Promise<readonly string[]> {
  const { clock, vault, queue, line, states } = outbox()
  const receiver = inbox('sink', clock)
  receiver.answer = () => (clock.monotonic() < downFor ? notSent('down', true) : { kind: 'sent' })
  const all = newsOf(groups, episodes)
  const waitingDeaths = [...deaths]

  function startProcess(): Mortal {
    const process = mortal(vault, waitingDeaths.shift() ?? Number.POSITIVE_INFINITY)
    line(process.sink(receiver), { lookEvery: 10_000, ...bug({ vault: process.vault }) }).start()
    return process
  }

  let process = startProcess()
  for (const news of all) {
    await queue('sink', news)
    await clock.advance(minutes)
    if (process.isDead) process = startProcess()
  }
  for (let rest = 0; rest < 60; rest++) {
    await clock.advance(minutes)
    if (process.isDead) process = startProcess()
  }
  const left = (await states()).filter((state) => state === 'waiting' || state === 'dead')
  return [...findings(onceByName(receiver.took), all), ...left.map((state) => `a delivery is ${state}`)]
}

function newsOf(groups: number, episodes: number): readonly News[] {
  const kinds = ['fire', 'repeat', 'resolve'] as const
  return Array.from({ length: episodes }, (_, n) => n + 1).flatMap((episode) =>
    kinds.flatMap((kind, index) =>
      Array.from({ length: groups }, (_, group) => ({ group: `group ${group}`, kind, episode, sequence: index + 1 })),
    ),
  )
}

/** As a receiver does that knows the header `Redrive-Delivery`. */
function onceByName(took: readonly Notification[]): readonly Notification[] {
  return [...new Map(took.map((each) => [each.id, each])).values()]
}

describe('a sink that is down for ten minutes of virtual time, and processes that die meanwhile', () => {
  it('hears of everything, once by name, and never of an end before its beginning', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlay, async (drawn) => {
        expect(await play(drawn)).toEqual([])
      }),
      { numRuns: 60 },
    )
  }, 600_000)

  it('hears of everything wherever a process dies', async () => {
    for (let step = 0; step < 16; step++) expect(await play({ groups: 1, episodes: 1, deaths: [step], downFor: 0 })).toEqual([])
  }, 600_000)

  /** Notes that a message was sent before it is sent. */
  const notesFirst = (options: Partial<DeliveryLineOptions>): Partial<DeliveryLineOptions> => {
    const vault = options.vault as Vault
    const read = async (name: 'waitingDeliveries', input: { sink: string; limit: number }): Promise<readonly Delivery[]> => {
      const rows = await vault.read(name, input)
      for (const { id } of rows) await vault.write('deliverySent', { id, collapsed: [], now: 0 })
      return rows
    }
    return { vault: { ...vault, read: read as Vault['read'] } }
  }

  /** Sends what came last first. */
  const newestFirst = (options: Partial<DeliveryLineOptions>): Partial<DeliveryLineOptions> => {
    const vault = options.vault as Vault
    const read = async (name: 'waitingDeliveries', input: { sink: string; limit: number }): Promise<readonly Delivery[]> =>
      (await vault.read(name, input)).toReversed()
    return { vault: { ...vault, read: read as Vault['read'] } }
  }

  /** Forgets what could not be sent at once. */
  const neverAgain = (options: Partial<DeliveryLineOptions>): Partial<DeliveryLineOptions> => {
    const vault = options.vault as Vault
    const write = (name: 'deliverySent' | 'deliveryFailed', input: { id: number; now: number }): Promise<unknown> =>
      vault.write('deliverySent', { id: input.id, collapsed: [], now: input.now, ...(name === 'deliverySent' && input) })
    return { vault: { ...vault, write: write as Vault['write'] } }
  }

  it.each([
    ['notes that a message was sent before it is', notesFirst],
    ['sends what came last first', newestFirst],
    ['forgets what could not be sent at once', neverAgain],
  ])(
    'catches a line that %s',
    async (_, bug) => {
      const found: string[] = []
      for (let step = 0; step < 12 && found.length === 0; step++)
        found.push(...(await play({ groups: 2, episodes: 1, deaths: [step], downFor: 10 * minutes }, bug)))
      expect(found).not.toEqual([])
    },
    600_000,
  )
})

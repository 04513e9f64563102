import { describe, expect, onTestFinished, test } from 'vitest'
import { prometheusText } from '../../src/core/metrics/prometheus-text.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { planeMetrics } from '../../src/ops/metrics/plane-metrics.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Address, Transport } from '../../src/transports/seam.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

/** Subscriptions of one topic, each with messages of its own, as Azure Service Bus has them. */
const subscription = ({ name, group }: Address): Address => ({ name: group === undefined ? name : `${name}:${group}` })

function withSubscriptions(transport: Transport): Transport {
  return {
    ...transport,
    browse: (address, page) => transport.browse(subscription(address), page),
    remove: (address, position) => transport.remove(subscription(address), position),
    measure: (address) => transport.measure(subscription(address)),
  }
}

/** Two dead-letter channels that differ in their group alone, with two letters in one and one in the other, both followed. */
async function twoGroups(vault: Vault) {
  const clock = virtualClock()
  const broker = memory({ clock })
  const addresses = ['billing', 'stock'].map((group) => ({ name: 'orders.dlq', group }))
  const channels = addresses.map((address) => ({ address: subscription(address), role: 'dead-letter' as const }))
  await broker.provision({ channels }, 'apply')
  const transport = withSubscriptions(broker)
  const plane = createControlPlane({
    ...{ vault, clock, newId: () => 'id', draw: (bytes) => new Uint8Array(bytes), transportNamed: () => transport },
    sources: addresses.map((address) => ({ connection: 'shop', transport, address, mode: 'follow' })),
  })
  onTestFinished(() => plane.close())
  for (const [address, ns] of [
    [addresses[0], [1, 2]],
    [addresses[1], [3]],
  ] as const)
    for (const n of ns) await broker.send(subscription(address as Address), deadLetter({ n }))
  await plane.start()
  await clock.advance(60_000)
  return plane
}

/** A vault that knows a source by its channel alone, as before. */
function forgetsGroups(vault: Vault): Vault {
  return {
    ...vault,
    write: (name, input) =>
      vault.write(name, (name === 'registerSource' ? { ...(input as object), group: '' } : input) as typeof input),
  }
}

async function lettersByGroup(vault: Vault): Promise<Readonly<Record<string, number | undefined>>> {
  const plane = await twoGroups(vault)
  return Object.fromEntries((await plane.sources()).map(({ source: { group, letters } }) => [group, letters.open]))
}

describe('two sources that differ in their consumer group alone', () => {
  test('are two: each has its own letters', async () => {
    expect(await lettersByGroup(memoryVault())).toEqual({ billing: 2, stock: 1 })
  })

  test('the test would notice a vault that takes them for one', async () => {
    expect(await lettersByGroup(forgetsGroups(memoryVault()))).not.toEqual({ billing: 2, stock: 1 })
  })

  test('are told apart wherever people look', async () => {
    const plane = await twoGroups(memoryVault())
    const { letters } = await plane.letters.find({ limit: 10 })
    const groups = await Promise.all(letters.map(async ({ id }) => (await plane.letters.show(id)).source.group))
    expect(groups.toSorted()).toEqual(['billing', 'billing', 'stock'])
    const text = prometheusText(planeMetrics({ sources: await plane.sources(), replayed: [], notifiers: [], alerts: [] }))
    expect(text).toContain('redrive_unresolved_letters{connection="shop",queue_name="orders.dlq",consumer_group="billing"} 2')
    expect(text).toContain('redrive_unresolved_letters{connection="shop",queue_name="orders.dlq",consumer_group="stock"} 1')
    const { letters: exported } = await plane.letters.export({ limit: 10, bodies: true })
    expect(exported.map(({ source }) => source.group).toSorted()).toEqual(['billing', 'billing', 'stock'])
    const other = memoryVault()
    const there = createControlPlane({
      ...{ vault: other, clock: virtualClock(), newId: () => 'id', draw: (bytes) => new Uint8Array(bytes) },
      ...{ sources: [], transportNamed: () => undefined },
    })
    onTestFinished(() => there.close())
    expect(await there.letters.import(exported, { actor: 'ana' })).toEqual({ letters: 3, refused: [] })
    expect((await other.read('listSources', undefined)).map(({ group }) => group)).toEqual(['billing', 'stock'])
  })
})

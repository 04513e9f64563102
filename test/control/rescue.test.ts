import { describe, expect, onTestFinished, test } from 'vitest'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Measure, Transport } from '../../src/transports/seam.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, noon } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

const hour = 3_600_000
const address = { name: 'dlq.orders' }

/** A log that drops its letters after eight hours, and a control plane that watches it. */
async function watching({ keepsFor }: { keepsFor?: number } = { keepsFor: 8 * hour }): Promise<{
  readonly clock: VirtualClock
  readonly vault: Vault
  readonly transport: Transport
  readonly plane: RunningControlPlane
  start(): RunningControlPlane
}> {
  const clock = virtualClock({ start: noon })
  const real = memory({ clock })
  await real.provision({ channels: [{ address, role: 'dead-letter' }] }, 'apply')
  for (const n of [1, 2, 3]) await real.send(address, deadLetter({ n }))
  const measure = async (at: typeof address): Promise<Measure> => ({
    ...(await real.measure(at)),
    ...(keepsFor !== undefined && { keepsFor }),
  })
  const transport: Transport = { ...real, measure }
  const vault = memoryVault()
  const start = (): RunningControlPlane => {
    const plane = createControlPlane({
      ...{ vault, clock, newId: () => 'x', draw: (bytes: number) => Buffer.alloc(bytes, 7) },
      sources: [{ connection: 'shop', transport, address, mode: 'watch' }],
      transportNamed: () => transport,
    })
    onTestFinished(() => plane.close())
    return plane
  }
  onTestFinished(() => vault.close())
  return { clock, vault, transport, plane: start(), start }
}

async function letters({ letters: all }: RunningControlPlane): Promise<number> {
  return (await all.find({ limit: 100 })).letters.length
}

describe('a source that is only watched', () => {
  test('is copied when its oldest letter has a quarter of its time left, and counted once', async () => {
    const { plane, clock } = await watching()
    await plane.start()
    await clock.advance(hour)
    expect(await letters(plane)).toBe(0)
    const before = await plane.sources()
    expect(before).toMatchObject([{ unresolved: 3, loss: { keepsFor: 8 * hour, nextAt: noon + 8 * hour, isCopied: false } }])
    await clock.advance(5 * hour + 120_000)
    expect(await letters(plane)).toBe(3)
    const after = await plane.sources()
    expect(after).toMatchObject([{ mode: 'watch', unresolved: 3, onBroker: { letters: 3 }, loss: { isCopied: true } }])
  })

  test('goes on to be copied by the next control plane, and by none twice', async () => {
    const { plane, clock, transport, start } = await watching()
    await plane.start()
    await clock.advance(6 * hour + 120_000)
    expect(await letters(plane)).toBe(3)
    await plane.close()
    await transport.send(address, deadLetter({ n: 4 }))
    const next = start()
    await next.start()
    await clock.advance(120_000)
    expect(await letters(next)).toBe(4)
    expect(await next.sources()).toMatchObject([{ unresolved: 4 }])
  })

  test('of a broker that drops nothing is never copied', async () => {
    const { plane, clock } = await watching({})
    await plane.start()
    await clock.advance(9 * hour)
    expect(await letters(plane)).toBe(0)
    const [source] = await plane.sources()
    expect(source).toMatchObject({ unresolved: 3 })
    expect(source).not.toHaveProperty('loss')
  })
})

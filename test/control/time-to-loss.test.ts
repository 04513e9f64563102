import { describe, expect, onTestFinished, test } from 'vitest'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import type { ConfiguredSource } from '../../src/ops/sources.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Measure, Transport } from '../../src/transports/seam.ts'
import { deadLetter, noon } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

const hour = 3_600_000
const address = { name: 'dlq.orders' }

interface Keeping {
  keepsFor?: number
  isDown?: boolean
  /** A mistake: what is said when nobody can be asked. */
  whenDown?: Measure
}

/** A dead-letter channel of two letters that failed an hour apart, on a broker that drops what is old, as it is told. */
async function following(
  mode: ConfiguredSource['mode'],
  keep: Keeping,
): Promise<{ readonly plane: RunningControlPlane; minutes(count: number): Promise<void> }> {
  const clock = virtualClock({ start: noon })
  const real = memory({ clock })
  await real.provision({ channels: [{ address, role: 'dead-letter' }] }, 'apply')
  for (const n of [1, 2]) await real.send(address, deadLetter({ n, failedAt: noon - (3 - n) * hour }))
  const measure = async (): Promise<Measure> => {
    if (keep.isDown && keep.whenDown) return keep.whenDown
    if (keep.isDown) throw new Error('nobody answers')
    return { ...(await real.measure(address)), ...(keep.keepsFor !== undefined && { keepsFor: keep.keepsFor }) }
  }
  const transport: Transport = { ...real, measure }
  const vault = memoryVault()
  const plane = createControlPlane({
    ...{ vault, clock, newId: () => 'x', draw: (bytes: number) => Buffer.alloc(bytes, 7) },
    ...{ sources: [{ connection: 'shop', transport, address, mode }], transportNamed: () => transport },
  })
  onTestFinished(async () => {
    await plane.close()
    await vault.close()
  })
  await plane.start()
  /** Somebody looks at the sources every minute. */
  const minutes = async (count: number): Promise<void> => {
    for (let minute = 0; minute < count; minute++) {
      await clock.advance(60_000)
      await plane.sources()
    }
    await clock.advance(1000)
  }
  await minutes(2)
  return { plane, minutes }
}

async function dropsAt({ letters }: RunningControlPlane): Promise<readonly (number | null)[]> {
  const { letters: found } = await letters.find({ limit: 10 })
  return found.toSorted((one, other) => one.id - other.id).map(({ brokerDropsAt }) => brokerDropsAt)
}

describe('a letter whose broker drops what is old', () => {
  test('says when its copy there goes, each its own moment, in lists and alone', async () => {
    const { plane } = await following('follow', { keepsFor: 8 * hour })
    expect(await dropsAt(plane)).toEqual([noon + 6 * hour, noon + 7 * hour])
    expect((await plane.letters.show(1)).letter.brokerDropsAt).toBe(noon + 6 * hour)
  })

  test('says so too where it was copied only because it was about to be lost', async () => {
    const { plane } = await following('watch', { keepsFor: hour })
    expect(await dropsAt(plane)).toEqual([noon - hour, noon])
  })

  test('follows what the broker is told, and forgets nothing while it cannot be asked', async () => {
    const keep: Keeping = { keepsFor: 8 * hour }
    const { plane, minutes } = await following('follow', keep)
    keep.isDown = true
    await minutes(5)
    expect(await dropsAt(plane)).toEqual([noon + 6 * hour, noon + 7 * hour])
    Object.assign(keep, { isDown: false, keepsFor: 4 * hour })
    await minutes(2)
    expect(await dropsAt(plane)).toEqual([noon + 2 * hour, noon + 3 * hour])
    delete keep.keepsFor
    await minutes(2)
    expect(await dropsAt(plane)).toEqual([null, null])
  })

  test('is seen to forget it where a probe that fails says that there is nothing', async () => {
    const keep: Keeping = { keepsFor: 8 * hour, whenDown: { retained: 0, pending: 0 } }
    const { plane, minutes } = await following('follow', keep)
    keep.isDown = true
    await minutes(5)
    expect(await dropsAt(plane)).not.toEqual([noon + 6 * hour, noon + 7 * hour])
  })

  test('has nothing to lose there once it was collected', async () => {
    const { plane } = await following('collect', { keepsFor: 8 * hour })
    expect(await dropsAt(plane)).toEqual([null, null])
  })
})

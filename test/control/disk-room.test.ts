import { expect, onTestFinished, test } from 'vitest'
import { type CollectOptions, collect } from '../../src/ops/collect.ts'
import { createDiskRoom } from '../../src/ops/disk-room.ts'
import { follow } from '../../src/ops/follow.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import { deadLetter } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

const dead = { name: 'dlq.orders' }
const everything = { condition: { where: '1 = 1', parameters: [] }, limit: 1000 }

/** A broker with three letters, and a vault on a disk of which so much is free. */
async function given(read: typeof collect, free: number, looksAtTheDisk = true) {
  const clock = virtualClock()
  const [transport, vault] = [memory({ clock }), memoryVault()]
  await transport.provision({ channels: [{ address: dead, role: 'dead-letter' }] }, 'apply')
  const disk = { free }
  const problems: string[] = []
  const options: CollectOptions = {
    vault,
    clock,
    draw: (bytes) => new Uint8Array(bytes),
    onProblem: ({ code }) => problems.push(code),
    ...(looksAtTheDisk && { room: createDiskRoom(async () => disk.free, clock) }),
  }
  for (const n of [1, 2, 3]) await transport.send(dead, deadLetter({ n }))
  const reader = read({ connection: 'shop', transport, address: dead }, options)
  onTestFinished(() => reader.stop())
  return {
    clock,
    disk,
    problems,
    inVault: async () => (await vault.read('findLetters', everything)).length,
    onBroker: async () => (await transport.measure(dead)).retained,
  }
}

for (const [name, read] of [
  ['collected', collect],
  ['copied', follow],
] as const) {
  test(`nothing is ${name} while the disk is nearly full, and everything once there is room`, async () => {
    const { clock, disk, problems, inVault, onBroker } = await given(read, 0.049)
    await clock.advance(120_000)
    expect(new Set(problems)).toEqual(new Set(['store-full']))
    expect([await inVault(), await onBroker()]).toEqual([0, 3])
    disk.free = 0.05
    await clock.advance(120_000)
    expect(await inVault()).toBe(3)
  })

  test(`a control plane that does not look at its disk goes on until it is full: ${name}`, async () => {
    const { clock, inVault } = await given(read, 0.049, false)
    await clock.advance(120_000)
    expect(await inVault()).toBe(3)
  })
}

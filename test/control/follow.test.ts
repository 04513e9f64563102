import { expect, onTestFinished, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { type MemoryTransport, memory } from '../../src/transports/memory/memory.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { wishes } from './shop.fixture.ts'

const dead = { name: 'dlq.orders' }

interface World {
  readonly clock: VirtualClock
  readonly transport: MemoryTransport
  readonly vault: Vault
  readonly start: () => Promise<RunningControlPlane>
}

async function world(): Promise<World> {
  const clock = virtualClock()
  const transport = memory({ clock })
  const vault = memoryVault()
  let ids = 0
  await transport.provision(
    {
      channels: [
        { address: { name: 'orders' }, role: 'work' },
        { address: dead, role: 'dead-letter' },
      ],
    },
    'apply',
  )
  const start = async (): Promise<RunningControlPlane> => {
    const plane = createControlPlane({
      vault,
      clock,
      newId: () => `id-${++ids}`,
      draw: (bytes) => new Uint8Array(bytes),
      sources: [{ connection: 'shop', transport, address: dead, mode: 'follow' }],
      transportNamed: () => transport,
    })
    onTestFinished(() => plane.close())
    await plane.start()
    return plane
  }
  return { clock, transport, vault, start }
}

async function bury(transport: MemoryTransport, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) await transport.send(dead, deadLetter({ n }))
}

test('a followed letter is in the vault once and stays on the broker', async () => {
  const { clock, transport, vault, start } = await world()
  await bury(transport, 0, 450)
  const plane = await start()
  await clock.advance(5000)
  await bury(transport, 450, 460)
  await clock.advance(60_000)
  expect((await plane.letters.find({ filter: 'state:open', limit: 1000 })).letters).toHaveLength(460)
  expect(await transport.measure(dead)).toMatchObject({ retained: 460 })
  expect(await vault.read('listSources', undefined)).toMatchObject([{ deliveries: 460, deduplicated: 0, inserted: 460 }])
  expect(await plane.sources()).toMatchObject([{ mode: 'follow', unresolved: 460 }])
})

test('letters that have been read count once, also where they are less than a page, and those of nobody who could read count on the broker', async () => {
  const { clock, transport, vault, start } = await world()
  await bury(transport, 0, 3)
  const browse = transport.browse
  let mayLook = false
  transport.browse = (...asked) =>
    mayLook ? browse(...asked) : Promise.reject(new RedriveError('unreachable', 'Nobody may look.'))
  const plane = await start()
  await clock.advance(60_000)
  expect(await plane.sources()).toMatchObject([{ unresolved: 3, source: { letters: {} } }])
  mayLook = true
  await clock.advance(60_000)
  expect(await plane.sources()).toMatchObject([{ unresolved: 3, source: { letters: { open: 3 } } }])
  expect(await vault.read('listSources', undefined)).toMatchObject([{ inserted: 3 }])
})

test('a control plane that starts anew goes on where the last one was', async () => {
  const { clock, transport, vault, start } = await world()
  await bury(transport, 0, 250)
  const first = await start()
  await clock.advance(5000)
  await first.close()
  await bury(transport, 250, 260)
  await start()
  await clock.advance(5000)
  const [counted] = await vault.read('listSources', undefined)
  expect(counted).toMatchObject({ inserted: 260 })
  expect(counted?.deduplicated).toBeLessThanOrEqual(200)
})

test('a replay takes the broker’s copy away first, and refuses a letter whose copy is gone', async () => {
  const { clock, transport, start } = await world()
  await bury(transport, 0, 2)
  const plane = await start()
  await clock.advance(5000)
  const [gone] = (await transport.browse(dead, { limit: 1 })).messages
  await transport.remove(dead, gone?.position ?? '')
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, { ...wishes, canary: undefined })
  await plane.replays.start(replay.id, wishes)
  await clock.advance(5000)
  expect((await plane.replays.show(replay.id)).counts).toMatchObject({ sent: 1, refused: 1 })
  expect(await transport.measure(dead)).toMatchObject({ retained: 0 })
  expect(await transport.measure({ name: 'orders' })).toMatchObject({ retained: 1 })
})

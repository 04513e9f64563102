import { expect, onTestFinished, test } from 'vitest'
import { type ControlPlaneOptions, createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import { stepSize } from '../../src/vault/operations/seal-replay.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { type MemoryVault, memoryVault } from './memory-vault.ts'
import { wishes } from './shop.fixture.ts'

const letters = 2 * stepSize + 500
const all = { filter: 'state:open' }
const plain = { ...wishes, canary: undefined, rate: 100_000 }

interface Office {
  readonly vault: MemoryVault
  /** A control plane that never comes back from the n-th call of that name, as if it had been killed there. */
  open(dies?: { readonly at: string; readonly call: number }, part?: ControlPlaneOptions['part']): RunningControlPlane
  states(): Promise<Readonly<Record<string, number>>>
  sent(): Promise<number>
  pass(ms: number): Promise<void>
}

async function office(): Promise<Office> {
  const clock = virtualClock({ start: noon })
  const vault = memoryVault()
  const transport = memory({ clock })
  await transport.provision({ channels: [{ address: { name: 'orders' }, role: 'work' }] }, 'apply')
  const source = await sourceIn(vault)
  for (let n = 0; n < letters; n += 500) {
    await keep(
      vault,
      source,
      Array.from({ length: 500 }, (_, index) => deadLetter({ n: n + index })),
    )
  }
  return {
    vault,
    open(dies, part) {
      let calls = 0
      const write = (name: string, input: never): Promise<unknown> =>
        name === dies?.at && ++calls >= dies.call ? new Promise(() => {}) : vault.write(name as never, input)
      const mortal = dies ? { ...vault, write: write as Vault['write'] } : vault
      const parts = { vault: mortal, clock, newId: () => 'id', draw: (bytes: number) => new Uint8Array(bytes), sources: [] }
      const plane = createControlPlane({ ...parts, transportNamed: () => transport, ...(part && { part }) })
      if (!dies) onTestFinished(() => plane.close())
      return plane
    },
    async states() {
      const [found] = await vault.read('listSources', undefined)
      return Object.fromEntries(Object.entries(found?.letters ?? {}).filter(([, count]) => count > 0))
    },
    sent: async () => (await transport.measure({ name: 'orders' })).retained,
    pass: (ms) => clock.advance(ms),
  }
}

async function stateOf({ vault }: Office, replay: number): Promise<string> {
  return (await vault.read('showReplay', { replay })).state
}

test('a replay that was half made when the control plane died never runs, and is given up', async () => {
  const desk = await office()
  void desk.open({ at: 'addToReplay', call: 3 }).replays.seal(all, plain)
  await desk.pass(1000)
  expect(await stateOf(desk, 1)).toBe('sealing')
  const next = desk.open()
  await expect(next.replays.start(1, wishes)).rejects.toMatchObject({ code: 'conflict' })
  await next.start()
  await desk.pass(5000)
  expect(await next.replays.show(1)).toMatchObject({ replay: { state: 'cancelled' }, counts: { cancelled: 2 * stepSize } })
  expect([await desk.states(), await desk.sent()]).toEqual([{ open: letters }, 0])
})

test('a replay that was half started when the control plane died sends nothing, and is started by the next one', async () => {
  const desk = await office()
  const first = desk.open({ at: 'takeLetters', call: 3 })
  const { replay } = await first.replays.seal(all, plain)
  void first.replays.start(replay.id, wishes)
  await desk.pass(1000)
  expect(await stateOf(desk, replay.id)).toBe('starting')
  expect([await desk.states(), await desk.sent()]).toEqual([{ open: 500, replaying: 2 * stepSize }, 0])
  await desk.open().start()
  await desk.pass(5000)
  expect(await desk.sent()).toBe(letters)
})

test('a replay that was half cancelled when the control plane died is cancelled by the next one', async () => {
  const desk = await office()
  const first = desk.open({ at: 'releaseLetters', call: 2 })
  const { replay } = await first.replays.seal(all, { ...plain, rate: 1 })
  await first.replays.start(replay.id, wishes)
  void first.replays.cancel(replay.id, wishes)
  await desk.pass(1)
  expect(await stateOf(desk, replay.id)).toBe('cancelling')
  await first.close()
  const sent = await desk.sent()
  await desk.open().start()
  await desk.pass(1000)
  expect(await stateOf(desk, replay.id)).toBe('cancelled')
  expect(await desk.states()).toEqual({ open: letters - sent, ...(sent > 0 && { sent }) })
})

test('a replay whose plan was changed behind its seal is refused', async () => {
  const desk = await office()
  const plane = desk.open()
  const { replay } = await plane.replays.seal(all, plain)
  const theft = `UPDATE replay_letters SET destination = replace(destination, 'orders', 'theft') WHERE seq = ${letters - 1}`
  await desk.vault.perform((sql) => sql.run(theft))
  await expect(plane.replays.start(replay.id, wishes)).rejects.toMatchObject({ code: 'seal-broken' })
  expect(await desk.states()).toEqual({ open: letters })
})

test('what people are told of while a large replay is made and started grows step by step', async () => {
  const desk = await office()
  const plane = desk.open()
  const planned: number[] = []
  plane.onChange((change) => change.kind === 'replay' && planned.push(change.counts.planned))
  await plane.replays.seal(all, plain)
  await desk.pass(1)
  expect(planned).toContain(letters)
  expect(planned.length).toBeGreaterThanOrEqual(3)
})

test('beside others, what one of them is making is left to it, and given up when it has stood still', async () => {
  const desk = await office()
  await desk.open(undefined, 'works').start()
  void desk.open({ at: 'addToReplay', call: 3 }, 'serves').replays.seal(all, plain)
  await desk.pass(20_000)
  expect(await stateOf(desk, 1)).toBe('sealing')
  await desk.pass(30_000)
  expect(await stateOf(desk, 1)).toBe('cancelled')
})

test('beside others, what one of them is starting is left to it, and finished when it has stood still', async () => {
  const desk = await office()
  await desk.open(undefined, 'works').start()
  const serving = desk.open({ at: 'takeLetters', call: 3 }, 'serves')
  const { replay } = await serving.replays.seal(all, plain)
  void serving.replays.start(replay.id, wishes)
  await desk.pass(20_000)
  expect([await stateOf(desk, replay.id), await desk.sent()]).toEqual(['starting', 0])
  await desk.pass(60_000)
  expect(await desk.sent()).toBe(letters)
})

test('one replay at a time takes its letters, whichever process starts it: of two with the same ones, one has all of them', async () => {
  const desk = await office()
  const [one, other] = [desk.open(undefined, 'serves'), desk.open(undefined, 'serves')]
  const ids = [(await one.replays.seal(all, plain)).replay.id, (await other.replays.seal(all, plain)).replay.id] as const
  const starting = Promise.allSettled([one.replays.start(ids[0], wishes), other.replays.start(ids[1], wishes)])
  await desk.pass(1000)
  expect((await starting).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const taken = await Promise.all(ids.map(async (id) => (await one.replays.show(id)).counts.planned))
  expect(taken.toSorted((a, b) => a - b)).toEqual([0, letters])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type VirtualClock, virtualClock } from '../../platform/virtual-clock.ts'
import type { Delivery, Receiver } from '../seam.ts'
import { type MemoryTransport, memory } from './memory.ts'

/**
 * Random histories against a model that knows nothing of queues, heaps or tickets: only what the seam promises about order,
 * turns, suspects and who holds what.
 */
interface Modelled {
  readonly position: string
  readonly key: string | undefined
  turns: number
  suspect: boolean
  held: { readonly by: number; readonly delivery: Delivery; readonly until: number } | undefined
  notBefore: number
}

interface World {
  readonly clock: VirtualClock
  readonly connections: readonly MemoryTransport[]
  readonly receivers: Receiver[]
  readonly model: Map<string, Modelled>
}

const work = { name: 'work' }
const hold = 1000
const command = fc.oneof(
  fc.record({ do: fc.constant('send' as const), key: fc.constantFrom('a', 'b', undefined) }),
  fc.record({ do: fc.constant('take' as const), who: fc.nat(2), max: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constantFrom('complete' as const, 'release' as const, 'crash' as const), pick: fc.nat(20) }),
  fc.record({ do: fc.constant('retry' as const), pick: fc.nat(20), delay: fc.constantFrom(0, 300, 2000) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(100, 700, 1500) }),
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

async function newWorld(): Promise<World> {
  const clock = virtualClock()
  const first = memory({ clock })
  await first.provision({ channels: [{ address: work, role: 'work', lanes: true }] }, 'apply')
  const connections = [first, first.connect(), first.connect()]
  const receivers = await Promise.all(connections.map((one) => one.receive(work, { prefetch: 9, hold })))
  return { clock, connections, receivers, model: new Map() }
}

const connection = ({ connections }: World, who: number): MemoryTransport => connections[who] ?? expect.unreachable()

async function send({ connections: [first], model }: World, key: string | undefined): Promise<void> {
  const receipt = await first?.send(work, { body: null, headers: [], ...(key && { key }) })
  const position = receipt?.position ?? expect.unreachable()
  model.set(position, { position, key, turns: 0, suspect: false, held: undefined, notBefore: 0 })
}

async function take(world: World, who: number, max: number): Promise<void> {
  const batch = (await world.receivers[who]?.take(max, 0)) ?? []
  if (batch.some(({ suspect }) => suspect)) expect(batch).toHaveLength(1)
  for (const delivery of batch) handOver(world, who, delivery)
}

function handOver({ model, clock }: World, who: number, delivery: Delivery): void {
  const known = model.get(delivery.position ?? '') ?? expect.unreachable('It was completed before.')
  expect(known.held).toBeUndefined()
  expect(known.notBefore).toBeLessThanOrEqual(clock.monotonic())
  expect([delivery.turns, delivery.suspect]).toEqual([known.turns, known.suspect])
  for (const sibling of model.values()) if (known.key !== undefined && sibling.key === known.key) respects(sibling, known, who)
  known.held = { by: who, delivery, until: clock.monotonic() + hold }
  if (known.suspect) known.turns++
}

/** All siblings that are held are in the same hands, and none that waits is earlier. */
function respects(sibling: Modelled, known: Modelled, who: number): void {
  if (sibling.held !== undefined) expect(sibling.held.by).toBe(who)
  else expect(Number(sibling.position)).toBeGreaterThanOrEqual(Number(known.position))
}

function pickHeld({ model }: World, pick: number): (Modelled & { held: NonNullable<Modelled['held']> }) | undefined {
  const held = [...model.values()].filter((known): known is Modelled & { held: NonNullable<Modelled['held']> } => !!known.held)
  return held[pick % Math.max(1, held.length)]
}

function becomesSuspect(known: Modelled): void {
  known.held = undefined
  known.suspect = true
}

async function settleOne(world: World, step: Extract<Command, { pick: number }>): Promise<void> {
  const known = pickHeld(world, step.pick)
  if (known === undefined) return
  const { by, delivery } = known.held
  const settle = connection(world, by).settle
  if (step.do === 'complete') {
    await settle(delivery, { kind: 'complete' })
    world.model.delete(known.position)
  } else if (step.do === 'release') {
    await settle(delivery, { kind: 'release' })
    Object.assign(known, { held: undefined, turns: known.turns - (known.suspect ? 1 : 0) })
  } else if (step.do === 'retry') {
    await settle(delivery, { kind: 'retry', delay: step.delay })
    const turns = known.turns + (known.suspect ? 0 : 1)
    Object.assign(known, { held: undefined, suspect: false, turns, notBefore: world.clock.monotonic() + step.delay })
  } else await crash(world, by)
}

async function crash(world: World, who: number): Promise<void> {
  connection(world, who).faults.loseConnection()
  for (const known of world.model.values()) if (known.held?.by === who) becomesSuspect(known)
  world.receivers[who] = await connection(world, who).receive(work, { prefetch: 9, hold })
}

async function advance({ clock, model }: World, ms: number): Promise<void> {
  await clock.advance(ms)
  for (const known of model.values()) if (known.held && known.held.until <= clock.monotonic()) becomesSuspect(known)
}

async function live(history: readonly Command[]): Promise<void> {
  const world = await newWorld()
  for (const step of history) {
    if (step.do === 'send') await send(world, step.key)
    else if (step.do === 'take') await take(world, step.who, step.max)
    else if (step.do === 'advance') await advance(world, step.ms)
    else await settleOne(world, step)
    expect(await connection(world, 0).measure(work)).toMatchObject({ retained: world.model.size })
  }
  await advance(world, 5000)
  for (let rounds = 0; world.model.size > 0 && rounds < 1000; rounds++) {
    await take(world, 0, 4)
    while (pickHeld(world, 0)) await settleOne(world, { do: 'complete', pick: 0 })
  }
  expect(world.model.size, 'Something that was never completed can no longer be taken.').toBe(0)
}

test('whatever happens, nothing is lost, nothing is shared, lanes stay in order and turns are counted exactly', async () => {
  await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 100, size: 'max' }), live), { numRuns: 300 })
})

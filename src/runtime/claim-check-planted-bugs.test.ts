import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../claim-check/memory-store.ts'
import { readReference } from '../core/body-reference.ts'
import type { Headers, Message } from '../core/message.ts'
import type { BodyStore } from '../core/ports.ts'

/** Each scenario must pass on the code as it is, and fail on the same code with one plausible mistake. */
const large = { text: 'the quick brown fox '.repeat(20) }

const scenarios = {
  'a body that was changed never reaches a handler': async () => {
    const { Job, testingWorld } = await import('../../test/testing-world.ts')
    const { createProducer } = await import('./producer.ts')
    const world = testingWorld()
    const seen: unknown[] = []
    const store: BodyStore = { ...memoryStore(), get: async () => new TextEncoder().encode('"changed"') }
    await world.consume((value) => void seen.push(value), { deadLetter: 'dead' }, { claimCheck: { store } })
    await createProducer({ transport: world.broker, claimCheck: { store, over: 10 } }).send(Job, large, { channel: 'work' })
    await world.clock.advance(3_600_000)
    expect(seen).toEqual([])
  },
  'a letter keeps the reference, however little room there is': async () => {
    const { Job, testingWorld } = await import('../../test/testing-world.ts')
    const { createProducer } = await import('./producer.ts')
    const world = testingWorld()
    const store = memoryStore()
    const options = { deadLetter: 'dead', headerBudget: '1KiB' }
    const own = { claimCheck: { store }, service: 's'.repeat(200), version: 'v'.repeat(200) }
    await world.consume((_, ctx) => ctx.deadLetter('x'.repeat(200), 'y'.repeat(900)), options, own)
    await createProducer({ transport: world.broker, claimCheck: { store, over: 10 } }).send(Job, large, { channel: 'work' })
    await world.clock.settle()
    expect((await world.letters()).map(({ headers }) => readReference(headers) !== undefined)).toEqual([true])
  },
  'no reference is sent to a body that is not durable': async () => {
    const { Job, testingWorld } = await import('../../test/testing-world.ts')
    const { createProducer } = await import('./producer.ts')
    const world = testingWorld()
    await world.consume(() => {}, { deadLetter: 'dead' })
    const store: BodyStore = { ...memoryStore(), put: () => Promise.reject(new Error('EIO')) }
    const sent = vi.fn(world.broker.send)
    const producer = createProducer({ transport: { ...world.broker, send: sent }, claimCheck: { store, over: 10 } })
    await producer.send(Job, large, { channel: 'work' }).catch(() => {})
    expect(sent).not.toHaveBeenCalled()
  },
} satisfies Record<string, () => Promise<void>>

interface Plant {
  readonly scenario: keyof typeof scenarios
  readonly path: string
  readonly mistake: (original: Readonly<Record<string, (...call: never[]) => unknown>>) => object
}

const plants: Readonly<Record<string, Plant>> = {
  'believes whatever the store gives': {
    scenario: 'a body that was changed never reaches a handler',
    path: './claim-check.ts',
    mistake: (original) => ({
      ...original,
      createFetchBody:
        ({ store }: { store: BodyStore }) =>
        ({ headers }: Message) =>
          store.get(readReference(headers)?.key ?? '', 1000),
    }),
  },
  'drops the reference like any other header': {
    scenario: 'a letter keeps the reference, however little room there is',
    path: '../core/dialects/header-budget.ts',
    mistake: (original) => ({ ...original, fitHeaders: withoutPrivilege(original['fitHeaders'] as never) }),
  },
  'does not wait for the store': {
    scenario: 'no reference is sent to a body that is not durable',
    path: './claim-check.ts',
    mistake: (original) => ({
      ...original,
      checkIn: async (message: Message, { store }: { store: BodyStore }) => {
        void store.put('2026-11-15.a', message.body ?? new Uint8Array()).catch(() => {})
        return { message, withdraw: async () => {} }
      },
    }),
  },
}

type FitHeaders = (own: Headers, letter: unknown, budget: number) => Headers

function withoutPrivilege(fitHeaders: FitHeaders): FitHeaders {
  const rename = (headers: Headers, from: string, to: string): Headers =>
    headers.map(([name, value]) => [name === from ? to : name, value] as const)
  return (own, letter, budget) =>
    rename(fitHeaders(rename(own, 'redrive-body', 'plain'), letter, budget), 'plain', 'redrive-body')
}

afterEach(() => {
  for (const { path } of Object.values(plants)) vi.doUnmock(path)
  vi.resetModules()
})

describe('planted bugs of the claim check', () => {
  it.each(Object.entries(scenarios))('without any: %s', (_, scenario) => scenario())

  it.each(Object.entries(plants))('a runtime that %s is caught', async (_, { scenario, path, mistake }) => {
    vi.resetModules()
    vi.doMock(path, async (original) => mistake(await original()))
    await expect(scenarios[scenario]()).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })
})

import { expect, test } from 'vitest'
import { memory } from '../../src/transports/memory/memory.ts'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { type Person, world } from './server.fixture.ts'

const rounds = 25
const each = 8

async function sealed({ ask }: Person, letters: readonly number[]): Promise<number> {
  return (await ask('POST', '/replays', { selection: { letters }, name: 'again', canary: null })).json().replay.id
}

test('of two operators who start the same letters at the same time, one has all of them and the other gets a 409', async () => {
  const transport = memory()
  await transport.provision({ channels: [{ address: { name: 'orders' }, role: 'work' }] }, 'apply')
  const { person, vault } = await world({}, () => transport)
  const source = await sourceIn(vault, 'dlq.orders')
  const people = await Promise.all(['ana', 'bo'].map((name) => person({ role: 'operator', name })))
  for (let round = 0; round < rounds; round++) {
    const messages = Array.from({ length: each }, (_, index) => deadLetter({ n: 100 + round * each + index }))
    const letters = await keep(vault, source, messages)
    const replays = await Promise.all(people.map((one) => sealed(one, letters)))
    const answers = await Promise.all(people.map(({ ask }, index) => ask('POST', `/replays/${replays[index]}/start`)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    const loser = answers.find(({ statusCode }) => statusCode === 409)
    expect(loser?.json()).toMatchObject({ code: 'conflict' })
    const ledgers = await Promise.all(replays.map((replay) => vault.read('readLedger', { replay, after: -1, limit: 100 })))
    const taken = ledgers.map((lines) => lines.filter(({ state }) => state !== 'skipped').length)
    expect(taken.toSorted((one, other) => one - other)).toEqual([0, each])
  }
})

test('a letter that one discards while another starts its replay is discarded or replayed, never both', async () => {
  const transport = memory()
  await transport.provision({ channels: [{ address: { name: 'orders' }, role: 'work' }] }, 'apply')
  const { person, vault } = await world({}, () => transport)
  const source = await sourceIn(vault, 'dlq.orders')
  const [ana, bo] = [await person({ role: 'operator', name: 'ana' }), await person({ role: 'operator', name: 'bo' })]
  for (let round = 0; round < rounds; round++) {
    const messages = Array.from({ length: each }, (_, index) => deadLetter({ n: 100 + round * each + index }))
    const letters = await keep(vault, source, messages)
    const replay = await sealed(ana, letters)
    const [discarded] = await Promise.all([
      bo.ask('POST', '/letters/discard', { selection: { letters: letters.slice(0, each / 2) } }),
      ana.ask('POST', `/replays/${replay}/start`),
    ])
    const lines = await vault.read('readLedger', { replay, after: -1, limit: 100 })
    const skipped = lines.filter(({ state }) => state === 'skipped')
    expect(skipped).toHaveLength(discarded.json().letters)
    expect(skipped.every(({ letterState }) => letterState === 'discarded')).toBe(true)
  }
})

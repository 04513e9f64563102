import { expect, test } from 'vitest'
import { memory } from '../../src/transports/memory/memory.ts'
import { standingOfCause } from '../../src/vault/standing.ts'
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

interface Sent {
  readonly method: string
  readonly at: string
  readonly body: object
}

/** Two who have seen the same send changes of it at the same time, in turn. Gives the code of each answer, or `done`. */
async function atOnce([ana, bo]: readonly [Person, Person], url: string, changes: readonly Sent[]): Promise<readonly string[]> {
  const seen = { 'if-match': String((await ana.ask('GET', url)).headers.etag) }
  const answers = await Promise.all(
    changes.map(({ method, at, body }, index) => (index % 2 === 0 ? ana : bo).ask(method, `${url}${at}`, body, seen)),
  )
  return answers.map((answer) => (answer.statusCode < 300 ? 'done' : answer.json().code)).toSorted()
}

test('of those who edit what they have seen of a letter at the same time, one is heard and the others are told', async () => {
  const { person, vault, orders } = await world()
  const people = [await person({ role: 'editor' }), await person({ role: 'editor' })] as const
  for (const letter of orders) {
    const edits = [1, 2, 3, 4].map((n) => ({ method: 'POST', at: '/edits', body: { body: { text: `{"order":${n}}` } } }))
    const told = edits.slice(1).map(() => 'changed-meanwhile')
    expect(await atOnce(people, `/letters/${letter}`, edits)).toEqual([...told, 'done'])
    expect(await vault.read('listEdits', { letter })).toHaveLength(1)
  }
})

test('of two who change what they have seen of a cause at the same time, one is heard and the other is told', async () => {
  const { person, vault } = await world()
  const people = [await person({ role: 'operator' }), await person({ role: 'operator' })] as const
  await keep(vault, await sourceIn(vault, 'dlq.orders'), [
    deadLetter({ n: 101, error: 'the vault is shut', service: 'till' }),
    deadLetter({ n: 102, error: 'the vault is shut', service: 'desk' }),
    deadLetter({ n: 103, error: 'le coffre est clos' }),
    deadLetter({ n: 104, error: 'der Tresor ist zu' }),
  ])
  const causes = await vault.read('listCauses', { limit: 10 })
  const [shut, ...others] = ['vault', 'coffre', 'Tresor'].map((word) => causes.find(({ title }) => title.includes(word))?.id)
  const reason = 'seen in the logs'
  for (const changes of [
    ['1.4.0', '1.5.0'].map((fixedIn) => ({ method: 'PUT', at: '/judgement', body: { state: 'resolved', fixedIn } })),
    ['ana', 'bo'].map((owner) => ({ method: 'PUT', at: '/owner', body: { owner } })),
    ['till', 'desk'].map((service) => ({ method: 'POST', at: '/split', body: { rule: `service:${service}`, reason } })),
    others.map((cause) => ({ method: 'POST', at: '/merge', body: { causes: [cause], reason } })),
  ]) {
    const what = changes[0]?.at
    expect([what, ...(await atOnce(people, `/causes/${shut}`, changes))]).toEqual([what, 'changed-meanwhile', 'done'])
    await expect.poll(() => vault.read('unsettledDecisions', undefined)).toEqual([])
  }
})

test('who notes something on a cause that somebody has judged meanwhile is told, and nothing is noted', async () => {
  const { vault } = await world()
  const seen = standingOfCause(await vault.read('showCause', { id: 1 }))
  const note = { about: 'cause' as const, subject: 1, now: 1, actor: 'ana', text: 'as it was', seen }
  await vault.write('addNote', note)
  await vault.write('judgeCause', { id: 1, state: 'acknowledged', now: 1 })
  await expect(vault.write('addNote', note)).rejects.toMatchObject({ code: 'changed-meanwhile' })
  expect(await vault.read('causeNotes', { cause: 1 })).toHaveLength(1)
})

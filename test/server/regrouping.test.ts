import { expect, test } from 'vitest'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { type Person, type World, world } from './server.fixture.ts'

const reason = 'the same bank, in two languages'

/** Three causes: that of the letters that are there, and two more. */
async function threeCauses(): Promise<World & { readonly ola: Person; readonly source: number }> {
  const here = await world()
  const source = await sourceIn(here.vault, 'dlq.orders')
  await keep(here.vault, source, [
    deadLetter({ n: 101, error: 'the vault is shut', service: 'till' }),
    deadLetter({ n: 102, error: 'the vault is shut', service: 'desk' }),
    deadLetter({ n: 103, error: 'le coffre est clos' }),
  ])
  return { ...here, source, ola: await here.person({ role: 'operator', name: 'ola' }) }
}

async function causesOf({ ask }: Person): Promise<Record<string, number>> {
  const { causes } = (await ask('GET', '/causes')).json()
  return Object.fromEntries(
    causes.map(({ id, title }: { id: number; title: string }) => [
      title.includes('vault') ? 'vault' : title.includes('coffre') ? 'coffre' : 'other',
      id,
    ]),
  )
}

test('causes are merged with a reason, which the cause tells, and undone with another one; all of it is in the audit trail', async () => {
  const { ola, audit, vault, source } = await threeCauses()
  const { vault: A = 0, coffre: B = 0 } = await causesOf(ola)
  const merged = await ola.ask('POST', `/causes/${A}/merge`, { causes: [B], reason })
  expect(merged.json()).toMatchObject({
    cause: { id: A, total: 3, unresolved: 3 },
    members: [{ id: B, total: 1 }],
    decisions: [{ id: 1, kind: 'merge', cause: B, target: A, actor: 'ola', reason, undoneAt: null, isMoving: false }],
  })
  expect(await causesOf(ola)).not.toHaveProperty('coffre')
  expect((await ola.ask('GET', `/causes/${B}`)).json()).toMatchObject({ cause: { mergedInto: A, total: 1 } })
  await keep(vault, source, [deadLetter({ n: 104, error: 'le coffre est clos' })])
  expect((await ola.ask('GET', `/causes/${A}`)).json()).toMatchObject({ cause: { total: 4 } })
  const undone = await ola.ask('POST', '/cause-decisions/1/undo', { reason: 'two banks' })
  expect(undone.json()).toMatchObject({
    cause: { id: A, total: 2 },
    decisions: [{ id: 1, undoneBy: 'ola', undoneBecause: 'two banks' }],
  })
  expect((await ola.ask('GET', `/causes/${B}`)).json()).toMatchObject({ cause: { mergedInto: null, total: 2 } })
  const noted = (await audit()).filter(({ action }) => /causes\.(merge|undo)/.test(action))
  expect(noted.map(({ action, result }) => `${action} ${result}`).toSorted()).toEqual([
    ...['causes.merge attempted', 'causes.merge done', 'causes.undo attempted', 'causes.undo done'],
  ])
  expect(noted.map(({ detail }) => detail).join()).toContain(reason)
})

test('letters are split off by a rule, now and from now on', async () => {
  const { ola, vault, source } = await threeCauses()
  const { vault: A = 0 } = await causesOf(ola)
  const split = (await ola.ask('POST', `/causes/${A}/split`, { rule: 'service:till', title: 'The till', reason })).json()
  expect(split).toMatchObject({
    cause: { title: 'The till', state: 'open' },
    decisions: [{ kind: 'split', rule: 'service:till' }],
  })
  await expect.poll(async () => (await ola.ask('GET', `/causes/${split.cause.id}`)).json().cause.total).toBe(1)
  await expect.poll(async () => (await ola.ask('GET', `/causes/${A}`)).json().decisions[0].isMoving).toBe(false)
  await keep(vault, source, [deadLetter({ n: 105, error: 'the vault is shut', service: 'till' })])
  const under = (await ola.ask('GET', `/letters?filter=under:${split.cause.id}`)).json().letters
  expect(under.map(({ service }: { service: string }) => service)).toEqual(['till', 'till'])
  expect((await ola.ask('POST', `/causes/${A}/split`, { rule: 'state:open', reason })).json()).toMatchObject({
    code: 'bad-option',
  })
  expect((await ola.ask('POST', `/causes/${A}/split`, { rule: 'service:till' })).json()).toMatchObject({ code: 'bad-request' })
  expect((await ola.ask('POST', `/causes/${A}/merge`, { causes: [A], reason })).json()).toMatchObject({ status: 409 })
})

test('of two operators who say different things at once, one is heard and the other gets a 409', async () => {
  const { ola, person } = await threeCauses()
  const bo = await person({ role: 'operator', name: 'bo' })
  const { vault: A = 0, coffre: B = 0, other: C = 0 } = await causesOf(ola)
  for (let round = 1; round <= 10; round++) {
    const answers = await Promise.all([
      ola.ask('POST', `/causes/${A}/merge`, { causes: [B], reason }),
      bo.ask('POST', `/causes/${C}/merge`, { causes: [B], reason }),
    ])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    const undone = await Promise.all([ola, bo].map(({ ask }) => ask('POST', `/cause-decisions/${round}/undo`, { reason })))
    expect(undone.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
  }
})

test('who has seen a cause before others were merged into it is told; a request that is sent again is done once', async () => {
  const { ola } = await threeCauses()
  const { vault: A = 0, coffre: B = 0, other: C = 0 } = await causesOf(ola)
  const seen = { 'if-match': String((await ola.ask('GET', `/causes/${A}`)).headers.etag) }
  const once = { ...seen, 'idempotency-key': 'once' }
  for (let times = 0; times < 2; times++)
    expect((await ola.ask('POST', `/causes/${A}/merge`, { causes: [B], reason }, once)).statusCode).toBe(200)
  expect((await ola.ask('GET', `/causes/${A}`)).json().decisions).toHaveLength(1)
  const late = await ola.ask('POST', `/causes/${A}/merge`, { causes: [C], reason }, seen)
  expect(late.json()).toMatchObject({ status: 412, code: 'changed-meanwhile' })
})

test('a rule that looks into headers needs the right to see them', async () => {
  const { ola, person } = await threeCauses()
  const { vault: A = 0 } = await causesOf(ola)
  const rule = 'header.authorization:x'
  expect((await ola.ask('POST', `/causes/${A}/split`, { rule, reason })).json()).toMatchObject({
    status: 403,
    code: 'not-allowed',
  })
  const approver = await person({ role: 'approver' })
  expect((await approver.ask('POST', `/causes/${A}/split`, { rule: 'service:till', reason })).statusCode).toBe(403)
})

test('who has seen a cause is told when something that stands under it was split, or taken out of the middle of a chain', async () => {
  const { ola } = await threeCauses()
  const { vault: A = 0, coffre: B = 0, other: C = 0 } = await causesOf(ola)
  const etagOf = async (cause: number) => String((await ola.ask('GET', `/causes/${cause}`)).headers.etag)
  await ola.ask('POST', `/causes/${B}/merge`, { causes: [C], reason })
  await ola.ask('POST', `/causes/${A}/merge`, { causes: [B], reason })
  const merged = await etagOf(A)
  expect((await ola.ask('POST', `/causes/${C}/split`, { rule: 'service:till', reason })).statusCode).toBe(200)
  const split = await etagOf(A)
  expect((await ola.ask('POST', '/cause-decisions/1/undo', { reason })).statusCode).toBe(200)
  expect(new Set([merged, split, await etagOf(A)]).size).toBe(3)
})

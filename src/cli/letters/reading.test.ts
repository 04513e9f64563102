import { describe, expect, test } from 'vitest'
import { deskWith, json } from '../../../test/control/desk.fixture.ts'
import { arrival, deadLetter, noon, sourceIn } from '../../../test/control/letters.fixture.ts'
import { systemClock } from '../../platform/clock.ts'
import { sqliteVault } from '../../vault/sqlite/sqlite-vault.ts'

const secret = 'hunter2-in-the-body'
const twoOrders = [
  deadLetter({ n: 1, correlation: 'c-1', body: secret, headers: [['tenant', 'acme']] }),
  deadLetter({ n: 2, correlation: 'c-2', error: 'no stock', channel: 'stock', failedAt: noon - 86_400_000 }),
]

describe('redrive letters', () => {
  test('lists the newest first, with what a person needs to tell them apart', async () => {
    const here = await deskWith({ letters: twoOrders })
    const { status, out, err } = await here.redrive('letters')
    expect([status, err]).toEqual([0, ''])
    const [head, second, first] = out.split('\n')
    expect(head?.split(/\s+/)).toEqual(['ID', 'AGE', 'STATE', 'SOURCE', 'CHANNEL', 'ERROR', 'CORRELATION'])
    expect(second).toMatch(/^ {0,2}2 +\S+ +open +dlq\.orders +stock +Error: no stock +c-2$/)
    expect(first).toMatch(/^ {0,2}1 +\S+ +open +dlq\.orders +orders +Error: card declined +c-1$/)
  })

  test('takes the filter of docs/filters.md, in one argument or many', async () => {
    const here = await deskWith({ letters: twoOrders })
    for (const args of [
      ['channel:stock state:open'],
      ['channel:stock', 'state:open'],
      ['"no stock"'],
      ['--', '-channel:orders'],
    ]) {
      const lines = (await here.redrive('letters', '--jsonl', ...args)).out.trim().split('\n')
      expect(lines.map((line) => JSON.parse(line).id)).toEqual([2])
    }
  })

  test('finds nothing with exit code 3, and says so', async () => {
    const here = await deskWith({ letters: twoOrders })
    expect(await here.redrive('letters', 'state:unknown')).toEqual({ status: 3, out: 'no letter matches the filter\n', err: '' })
    expect(await json(here, 'letters', 'state:unknown')).toEqual({ letters: [], next: null })
  })

  test('shows the character at which a filter goes wrong', async () => {
    const here = await deskWith({ letters: [] })
    const { status, err } = await here.redrive('letters', 'chanel:orders')
    expect(status).toBe(2)
    expect(err).toContain('Did you mean channel?')
    expect(err).toContain('\n  chanel:orders\n  ^\n')
  })

  test('says what to do with a filter that begins with a minus', async () => {
    const here = await deskWith({ letters: [] })
    const { status, err } = await here.redrive('letters', '-state:open')
    expect([status, err]).toEqual([2, expect.stringContaining('stands after --')])
  })

  test('goes on page by page, and all at once when asked to', async () => {
    const letters = Array.from({ length: 5 }, (_, n) => deadLetter({ n }))
    const here = await deskWith({ letters })
    const page = await here.redrive('letters', '--limit', '2')
    expect(page.out).toContain('2 letters; there are more: --before 4, or --all')
    const next = await json<{ letters: { id: number }[]; next: number | null }>(here, 'letters', '--limit', '2', '--before', '4')
    expect([next.letters.map(({ id }) => id), next.next]).toEqual([[3, 2], 2])
    const all = await json<{ letters: unknown[]; next: null }>(here, 'letters', '--all', '--limit', '1')
    expect([all.letters.length, all.next]).toEqual([5, null])
  })
})

describe('redrive show', () => {
  test('tells why a letter died, and nothing of what is in it', async () => {
    const here = await deskWith({ letters: twoOrders })
    for (const args of [[], ['--json']]) {
      const { status, out } = await here.redrive('show', '1', ...args)
      expect(status).toBe(0)
      expect(out).toContain('card declined')
      expect(out).not.toContain(secret)
      expect(out).not.toContain('acme')
    }
  })

  test('shows headers and body when asked to', async () => {
    const here = await deskWith({ letters: twoOrders })
    expect((await here.redrive('show', '1', '--headers')).out).toContain('tenant: acme')
    expect((await here.redrive('show', '1', '--body')).out).toContain(`Body\n  ${secret}\n`)
    expect(await json(here, 'show', '1', '--body')).toMatchObject({ body: { text: secret }, letter: { id: 1 } })
  })

  test('shows bytes that are no text as such', async () => {
    const letter = { ...deadLetter({ n: 1 }), body: Buffer.from([0xff, 0x00, 0x41]) }
    const here = await deskWith({ letters: [letter] })
    expect((await here.redrive('show', '1', '--body')).out).toContain('00000000  ff 00 41')
    expect(await json(here, 'show', '1', '--body')).toMatchObject({ body: { base64: '/wBB' } })
  })

  test('of a letter that is not there ends with 3, and of one that is no number with 2', async () => {
    const here = await deskWith({ letters: [] })
    expect(await here.redrive('show', '7')).toMatchObject({ status: 3, err: 'redrive: not-found: There is no letter 7.\n' })
    expect(await here.redrive('show', 'seven')).toMatchObject({ status: 2, err: expect.stringContaining('a whole number') })
  })
})

test('redrive trace tells a story in the order of time', async () => {
  const again = [0, 1].map((n) => deadLetter({ n, correlation: 'c-1', failedAt: noon - 86_400_000 + n }))
  const here = await deskWith({ letters: again })
  await here.redrive('note', '1', 'asked', 'the', 'bank')
  const { status, out } = await here.redrive('trace', 'c-1')
  expect(status).toBe(0)
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(1, 3).join(' ')),
  ).toEqual(['LETTER WHAT', '1 failed', '2 failed', '1 note'])
  expect(out).toContain('ana: asked the bank')
  expect(await here.redrive('trace', 'nobody')).toMatchObject({ status: 3 })
})

describe('redrive causes', () => {
  test('lists what is broken, and takes a judgement', async () => {
    const here = await deskWith({ letters: twoOrders })
    const { out } = await here.redrive('causes')
    expect(out).toContain('Error: card declined')
    expect(await here.redrive('causes', '--state', 'archived')).toMatchObject({ status: 3, out: 'no causes\n' })
    const { causes } = await json<{ causes: { id: number; title: string }[] }>(here, 'causes')
    const id = String(causes.find(({ title }) => title.includes('no stock'))?.id)
    const judged = await here.redrive('cause', id, '--resolve', '--fixed-in', '2.4.1', '--owner', 'ben', '--note', 'restocked')
    expect(judged.status).toBe(0)
    expect(judged.out).toMatch(/state +resolved/)
    expect(judged.out).toMatch(/owner +ben/)
    expect(judged.out).toContain('ana: restocked')
    expect(await json(here, 'cause', id, '--no-owner', '--reopen')).toMatchObject({ cause: { owner: null, state: 'open' } })
  })

  test('is found by the beginning of its fingerprint, as alerts and filters name it', async () => {
    const here = await deskWith({ letters: twoOrders })
    const { causes } = await json<{ causes: readonly { id: number; fingerprint: string }[] }>(here, 'causes')
    for (const { id, fingerprint } of causes) {
      const short = fingerprint.replace('v1:', '').slice(0, 8)
      for (const name of [`cause:${short}`, `cause:${fingerprint}`, fingerprint]) {
        expect(await json(here, 'cause', name)).toMatchObject({ cause: { id } })
      }
    }
    await here.redrive('cause', `cause:${causes[0]?.fingerprint}`, '--owner', 'ben')
    expect(await json(here, 'cause', String(causes[0]?.id))).toMatchObject({ cause: { owner: 'ben' } })
    expect(await here.redrive('cause', 'cause:0000000000')).toMatchObject({ status: 3 })
    expect(await here.redrive('cause', 'no such')).toMatchObject({ status: 2, err: expect.stringContaining('such as 3f2a') })
  })

  test('refuses what contradicts itself', async () => {
    const here = await deskWith({ letters: twoOrders })
    expect(await here.redrive('cause', '1', '--archive', '--resolve')).toMatchObject({ status: 2 })
    expect(await here.redrive('cause', '1', '--fixed-in', '2')).toMatchObject({ status: 2 })
    expect(await here.redrive('cause', '99')).toMatchObject({ status: 3 })
  })
})

test('redrive sources never takes a broker that nobody asked for an empty one', async () => {
  const here = await deskWith({ letters: twoOrders })
  const { out } = await here.redrive('sources')
  expect(out).toMatch(/shop +dlq\.orders +not-configured +\? +2 +2 open/)
})

test('redrive sources says of one that cannot be read why, and when it was last', async () => {
  const here = await deskWith({ letters: [] })
  const vault = sqliteVault({ file: here.file })
  await vault.write('noteReading', { id: await sourceIn(vault), readAt: noon, problem: 'refused' })
  await vault.close()
  const connections = 'connections: { shop: { transport: embedded, file: queue.db } }'
  const sources = 'sources: [{ connection: shop, channel: dlq.orders, mode: collect }]'
  here.write('control.yaml', `vault: ${here.file}\n${connections}\n${sources}\n`)
  const config = ['--config', 'control.yaml']
  expect((await here.redrive('sources', ...config)).out).toMatch(/shop +dlq\.orders +collect \(refused\) /)
  expect(await json(here, 'sources', ...config)).toMatchObject({ sources: [{ reading: { at: noon, problem: 'refused' } }] })
})

describe('without a vault', () => {
  test('every command says how to name one, and makes none', async () => {
    const here = await deskWith({ letters: [], environment: { REDRIVE_VAULT: '' } })
    expect(await here.redrive('letters')).toMatchObject({ status: 2, err: expect.stringContaining('--vault <file>') })
    expect(await here.redrive('letters', '--vault', 'typo.db')).toMatchObject({
      status: 2,
      err: 'redrive: bad-option: typo.db: there is no such vault.\n',
    })
  })

  test('what is no vault is refused, and never served as empty', async () => {
    const here = await deskWith({ letters: [] })
    here.write(
      'other.db',
      'this is not a database at all, but it is long enough to look like one to a careless reader'.repeat(20),
    )
    expect(await here.redrive('letters', '--vault', 'other.db')).toMatchObject({
      status: 2,
      err: expect.stringContaining('store-'),
    })
  })
})

describe('a letter whose broker drops what is old', () => {
  const hour = 3_600_000

  /** One letter that failed an hour ago and whose broker keeps so much, followed or collected. */
  async function keptFor(keepsFor: number, broker: 'kept' | 'completing') {
    const here = await deskWith({ letters: [] })
    const vault = sqliteVault({ file: here.file })
    const source = await sourceIn(vault)
    const letter = arrival(deadLetter({ n: 1, failedAt: systemClock.now() - hour }), { broker })
    await vault.write('ingest', { source, now: systemClock.now(), arrivals: [letter] })
    await vault.write('sourceKeeps', { id: source, keepsFor })
    await vault.close()
    return here
  }

  test('says in the list and alone how long the copy there lasts', async () => {
    const here = await keptFor(30 * hour, 'kept')
    const { out } = await here.redrive('letters')
    expect(out).toContain('BROKER KEEPS')
    expect(out).toMatch(/ 1d\s*\n$/)
    expect((await here.redrive('show', '1')).out).toMatch(
      /broker's copy +goes \d{4}-\S+ .*at the earliest \(in 1d\); the vault has one/,
    )
  })

  test('says that the copy may be gone', async () => {
    const here = await keptFor(hour / 2, 'kept')
    expect((await here.redrive('letters')).out).toMatch(/ gone\?\s*\n$/)
    expect((await here.redrive('show', '1')).out).toMatch(/broker's copy +may be gone since .*; the vault has one/)
  })

  test('says nothing of it once it was collected', async () => {
    const here = await keptFor(30 * hour, 'completing')
    expect((await here.redrive('letters')).out).not.toContain('BROKER KEEPS')
    expect((await here.redrive('show', '1')).out).not.toContain("broker's copy")
  })
})

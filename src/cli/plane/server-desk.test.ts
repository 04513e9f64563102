import { describe, expect, onTestFinished, test } from 'vitest'
import { type Workplace, workplace } from '../../../test/cli/run-redrive.ts'
import { json } from '../../../test/control/desk.fixture.ts'
import { secretOf, type World, world } from '../../../test/server/server.fixture.ts'

interface There extends World {
  readonly here: Workplace
}

/** The command line of somebody who has a token, and nothing but the address of a server. */
async function atServer(grant: { role: string; reveal?: boolean } = { role: 'admin', reveal: true }): Promise<There> {
  const made = await world()
  const { ask } = await made.person({ name: 'ana', role: grant.role as 'admin', reveal: grant.reveal ?? false })
  const issued = await ask('POST', '/tokens', {
    name: 'terminal',
    role: grant.role,
    sources: ['*'],
    reveal: grant.reveal ?? false,
    days: 1,
  })
  expect([issued.statusCode, issued.body]).toEqual([201, expect.any(String)])
  const here = workplace({
    REDRIVE_SERVER: await made.server.listen(),
    REDRIVE_TOKEN: issued.json().secret,
  })
  onTestFinished(() => here.remove())
  return { ...made, here }
}

describe('by way of a server', () => {
  test('the commands read what they read on a file', async () => {
    const { here, orders, invoices } = await atServer()
    const all = await json<{ letters: { id: number }[] }>(here, 'letters', '--all')
    expect(all.letters.map(({ id }) => id).toSorted()).toEqual([...orders, ...invoices])
    expect((await here.redrive('letters', 'source:dlq.orders', '--limit', '2')).out).toContain('there are more: --before')
    expect((await here.redrive('show', String(orders[0]), '--headers')).status).toBe(0)
    expect((await here.redrive('show', String(orders[0]), '--body')).out).toContain(secretOf(1))
    expect((await here.redrive('causes')).status).toBe(0)
    expect((await here.redrive('cause', '1', '--acknowledge', '--owner', 'ben')).out).toMatch(/owner +ben/)
    expect((await here.redrive('sources')).out).toContain('dlq.invoices')
    expect(await here.redrive('letters', 'chanel:x')).toMatchObject({
      status: 2,
      err: expect.stringContaining('Did you mean channel?'),
    })
    expect(await here.redrive('show', '99')).toMatchObject({ status: 3 })
  })

  test('and change what they change there, under the name that the token stands for', async () => {
    const { here, orders, audit } = await atServer()
    const [first = 0, second = 0] = orders
    expect(await here.redrive('discard', '--letters', `${first}`, '--yes')).toMatchObject({
      status: 0,
      out: '1 letter discarded\n',
    })
    expect(await here.redrive('restore', 'state:discarded', '--yes')).toMatchObject({ status: 0 })
    expect(await here.redrive('note', `${first}`, 'looked')).toMatchObject({ status: 0 })
    here.write('fix.json', [{ op: 'replace', path: '/card', value: 'other' }])
    expect(await here.redrive('edit', `${first}`, '--json-patch', 'fix.json', '--yes')).toMatchObject({ status: 0 })
    expect((await here.redrive('show', `${first}`)).out).toMatch(/ana: looked.*ana: edit/s)
    expect(await here.redrive('erase', `${second}`, '--confirm', `${second}`)).toMatchObject({ status: 0 })
    expect(await here.redrive('purge', '--letters', `${second}`, '--confirm', '1')).toMatchObject({ status: 0 })
    expect(new Set((await audit()).filter(({ action }) => action.startsWith('letters.')).map(({ actor }) => actor))).toEqual(
      new Set(['ana']),
    )
  })

  test('a replay runs there, and is followed from here to its end', async () => {
    const { here, orders } = await atServer()
    const dry = await here.redrive('replay', 'source:dlq.orders', '--dry-run')
    expect([dry.status, dry.out]).toEqual([0, expect.stringContaining(`${orders.length} letters would be sent`)])
    // No broker is there: the first one is refused, and the rest stays.
    const { status, out } = await here.redrive('replay', 'source:dlq.orders', '--yes', '--name', 'try')
    expect([status, out]).toEqual([1, expect.stringMatching(/refused +1 /)])
    const failures = await here.redrive('replay-status', '1', '--failures', '--jsonl')
    expect(JSON.parse(failures.out)).toMatchObject({ state: 'refused', problem: 'refused' })
    expect(await here.redrive('replay-status', '1', '--cancel')).toMatchObject({ status: 0 })
    expect(await json(here, 'replays')).toMatchObject({ replays: [{ name: 'try', actor: 'ana', state: 'cancelled' }] })
  })

  test('nobody may more than their token says, and is told so', async () => {
    const { here, orders } = await atServer({ role: 'viewer' })
    expect(await here.redrive('letters')).toMatchObject({ status: 0 })
    for (const args of [
      ['show', `${orders[0]}`, '--body'],
      ['discard', 'state:open', '--yes'],
      ['replay', 'state:open', '--dry-run'],
    ]) {
      expect(await here.redrive(...args)).toMatchObject({ status: 2, err: expect.stringContaining('not-allowed') })
    }
  })

  test('what only a file can do says so', async () => {
    const { here } = await atServer()
    expect(await here.redrive('export')).toMatchObject({ status: 2, err: expect.stringContaining('--vault') })
  })
})

describe('a server', () => {
  test.each([
    [['--server', 'http://redrive.example', '--token', 't'], 'in the clear'],
    [['--server', 'ftp://localhost', '--token', 't'], 'needs a URL'],
    [['--server', 'http://ana:pw@localhost', '--token', 't'], 'needs a URL'],
    [['--server', 'http://localhost:1'], 'Say who you are'],
    [['--server', 'http://localhost:1', '--token', 't', '--vault', 'x.db'], 'not both'],
    [['--server', 'http://localhost:1', '--token', 't', '--config', 'x.yaml'], 'not both'],
    [['--server', 'http://127.0.0.1:1', '--token', 't'], 'cannot be reached'],
  ])('given as %j is refused', async (args, told) => {
    const here = workplace()
    onTestFinished(() => here.remove())
    const { status, err } = await here.redrive('letters', ...args)
    expect([status, err]).toEqual([2, expect.stringContaining(told)])
    expect(err).not.toContain('ana:pw')
  })
})

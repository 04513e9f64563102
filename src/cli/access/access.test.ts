import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Workplace, workplace } from '../../../test/cli/run-redrive.ts'
import { type DeskInTest, deskWith, json } from '../../../test/control/desk.fixture.ts'
import { api, inject, world } from '../../../test/server/server.fixture.ts'
import { systemClock } from '../../platform/clock.ts'
import { isWellFormedToken } from '../../server/secrets.ts'

const desk = (): Promise<DeskInTest> => deskWith({ letters: [] })

interface Made {
  readonly id: number
  readonly name: string
  readonly role: string
}

/** The command line of an admin who has a token, and nothing but the address of a server. */
async function adminAtServer(): Promise<{
  readonly here: Workplace
  readonly url: string
  readonly vault: Awaited<ReturnType<typeof world>>['vault']
}> {
  const { server, person, vault } = await world()
  const { ask, user } = await person({ name: 'root', role: 'admin' })
  await vault.write('setPassword', { id: user.id, password: 'x' })
  const again = await person({ name: 'second', role: 'admin' })
  const { secret } = (await again.ask('POST', '/tokens', { name: 'terminal', role: 'admin' })).json()
  expect((await ask('GET', '/session')).statusCode).toBe(401)
  const url = await server.listen()
  const here = workplace({ REDRIVE_SERVER: url, REDRIVE_TOKEN: secret })
  onTestFinished(() => here.remove())
  return { here, url, vault }
}

describe('redrive token', () => {
  test('on a vault makes a token that a server of this vault takes, shows it once, and keeps none of it', async () => {
    const { server, vault, file } = await world()
    const here = workplace({ REDRIVE_VAULT: file, USER: 'ana' })
    onTestFinished(() => here.remove())
    await here.redrive('users', 'create', 'billing', '--role', 'consumer')
    const made = await here.redrive('token', 'create', '--user', 'billing', '--role', 'consumer', '--name', 'prod')
    const secret = made.out.trim()
    expect([made.status, isWellFormedToken(secret)]).toEqual([0, true])
    expect(made.err).toMatch(/^token 1 of billing, good until \S+\. It is shown this once:\n$/)
    const asked = await inject(server, { method: 'GET', url: `${api}/session`, headers: { authorization: `Bearer ${secret}` } })
    expect(asked.json()).toMatchObject({ name: 'billing', role: 'consumer', by: 'token', rights: ['consumers:report'] })
    expect(JSON.stringify([await vault.read('listTokens', {}), await vault.read('listAudit', { limit: 100 })])).not.toContain(
      secret,
    )
  })

  test('lists tokens and revokes them, and all of it stands in the audit trail', async () => {
    const here = await desk()
    await here.redrive('users', 'create', 'billing', '--role', 'consumer')
    await here.redrive(
      'token',
      'create',
      '--user',
      'billing',
      '--role',
      'consumer',
      '--name',
      'prod',
      '--days',
      '7',
      '--source',
      'shop/*',
    )
    expect((await here.redrive('token', 'list')).out).toMatch(/1 +prod +1 +consumer +shop\/\* +\w{4} +\d+\w +good/)
    expect(await here.redrive('token', 'revoke', '1')).toMatchObject({ status: 0, out: 'token 1 is revoked\n' })
    expect((await here.redrive('token', 'list')).out).toContain('revoked')
    const { rows } = await json<{ rows: { actor: string; action: string; address: string; result: string }[] }>(here, 'audit')
    expect(rows.toReversed().map(({ action, result }) => `${action} ${result}`)).toEqual([
      ...['users.create attempted', 'users.create done', 'tokens.issue attempted', 'tokens.issue done'],
      ...['tokens.revoke attempted', 'tokens.revoke done'],
    ])
    expect(new Set(rows.map(({ actor, address }) => `${actor} from ${address}`))).toEqual(new Set(['ana from vault file']))
  })

  test.each([
    [['--user', 'nobody', '--role', 'viewer', '--name', 'x'], 3, 'There is no user nobody'],
    [['--user', 'billing', '--role', 'king', '--name', 'x'], 2, 'Allowed choices'],
    [['--user', 'billing', '--role', 'viewer'], 2, '--name'],
    [['--user', 'billing', '--role', 'viewer', '--name', 'x', '--days', '999'], 2, 'at most 366 days'],
    [['--user', 'billing', '--role', 'admin', '--name', 'x', '--source', 'shop/*'], 2, 'an admin has all of them'],
  ] as const)('create %j is refused', async (args, status, told) => {
    const here = await desk()
    await here.redrive('users', 'create', 'billing', '--role', 'consumer')
    expect(await here.redrive('token', 'create', ...args)).toMatchObject({ status, err: expect.stringContaining(told) })
    expect(await here.redrive('token', 'list')).toMatchObject({ status: 3 })
  })

  test('by way of a server says that a token cannot make tokens, and what to do', async () => {
    const { here } = await adminAtServer()
    for (const args of [['list'], ['revoke', '1'], ['create', '--user', 'root', '--role', 'viewer', '--name', 'x']]) {
      expect(await here.redrive('token', ...args)).toMatchObject({ status: 2, err: expect.stringContaining('--vault') })
    }
  })
})

describe('redrive users', () => {
  async function worksOn(here: Workplace): Promise<string> {
    const created = await here.redrive('users', 'create', 'ben', '--role', 'reader', '--source', 'shop/dlq.orders')
    expect(created.status).toBe(0)
    const { users } = await json<{ users: Made[] }>(here, 'users')
    const { id = 0 } = users.find(({ name }) => name === 'ben') ?? {}
    expect((await here.redrive('users')).out).toMatch(/ben +reader +shop\/dlq\.orders +without a password/)
    expect(await json(here, 'users', 'change', `${id}`, '--role', 'operator', '--reveal')).toMatchObject({
      role: 'operator',
      reveal: true,
    })
    expect(await here.redrive('users', 'change', `${id}`, '--disable')).toMatchObject({
      status: 0,
      out: 'ben is disabled, operator\n',
    })
    expect(await here.redrive('users', 'change', `${id}`, '--enable', '--no-reveal')).toMatchObject({ status: 0 })
    expect(await here.redrive('users', 'change', `${id}`)).toMatchObject({ status: 2 })
    expect(await here.redrive('users', 'change', '999', '--disable')).toMatchObject({ status: 3 })
    expect(await here.redrive('users', 'create', 'ben', '--role', 'viewer')).toMatchObject({ status: 4 })
    expect(await here.redrive('users', 'create', 'Ben!', '--role', 'viewer')).toMatchObject({ status: 2 })
    expect(await here.redrive('users', 'create', 'boss', '--role', 'admin', '--source', 'shop/*')).toMatchObject({ status: 2 })
    const link = await here.redrive('users', 'link', `${id}`)
    expect(link.err).toBe(`user ${id} ben. The link works once, within the hour, on the server:\n`)
    return link.out.trim()
  }

  test('makes and changes users on the file of a vault, beside an admin who can sign in', async () => {
    const here = await desk()
    withAdmin(here.file)
    expect(await worksOn(here)).toMatch(/^\/setup\?token=[\w-]{43}$/)
  })

  test('does the same by way of a server, where the link is whole', async () => {
    const { here, url } = await adminAtServer()
    expect(await worksOn(here)).toMatch(new RegExp(`^${url}/setup\\?token=[\\w-]{43}$`))
  })

  test('gives a link by which the server lets the user in', async () => {
    const { server, file } = await world({ clock: systemClock })
    const here = workplace({ REDRIVE_VAULT: file })
    onTestFinished(() => here.remove())
    const { link } = await json<{ link: string }>(here, 'users', 'create', 'ana', '--role', 'viewer')
    const token = link.split('token=')[1]
    const body = { token, password: 'correct horse battery' }
    const answer = await inject(server, {
      method: 'POST',
      url: `${api}/setup`,
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.json()).toMatchObject({ name: 'ana', role: 'viewer' })
  })
})

/** The last admin who can sign in is never changed away, so there has to be one. */
function withAdmin(file: string): void {
  const db = new DatabaseSync(file)
  db.exec("INSERT INTO users (name, role, sources, reveal, made_at, password) VALUES ('admin', 'admin', '[\"*\"]', 0, 0, 'x')")
  db.close()
}

describe('redrive audit', () => {
  test('lists who did what, a page at a time, on a file and by way of a server', async () => {
    const here = await desk()
    expect(await here.redrive('audit')).toMatchObject({ status: 3, out: 'nothing was noted\n' })
    for (const name of ['ben', 'cem', 'dag']) await here.redrive('users', 'create', name, '--role', 'viewer')
    const { out } = await here.redrive('audit', '--limit', '2')
    expect(out).toMatch(/6 +\S+ +ana +vault file +users\.create +done/)
    expect(out).toContain('there are more: --before 5')
    expect((await here.redrive('audit', '--before', '2')).out).toContain('attempted')
    const { here: there } = await adminAtServer()
    await there.redrive('users', 'create', 'ben', '--role', 'viewer')
    expect((await there.redrive('audit')).out).toMatch(/second +127\.0\.0\.1 +users\.create +done/)
  })

  test('verifies the chain, against what somebody kept elsewhere too, and names the row that was changed', async () => {
    const here = await desk()
    for (const name of ['ben', 'cem']) await here.redrive('users', 'create', name, '--role', 'viewer')
    const fine = await here.redrive('audit', 'verify')
    const [, seq = '', hash = ''] = /--seq (\d+) --hash (\w{64})/.exec(fine.out) ?? []
    expect([fine.status, seq]).toEqual([0, '4'])
    expect(await here.redrive('audit', 'verify', '--seq', seq, '--hash', hash)).toMatchObject({ status: 0 })
    expect(await here.redrive('audit', 'verify', '--seq', seq)).toMatchObject({ status: 2 })
    expect(await here.redrive('audit', 'verify', '--seq', seq, '--hash', '0'.repeat(64))).toMatchObject({ status: 1 })
    const db = new DatabaseSync(here.file)
    db.exec("DROP TRIGGER audit_is_not_changed; UPDATE audit SET actor = 'somebody' WHERE seq = 3")
    db.close()
    expect(await here.redrive('audit', 'verify')).toMatchObject({
      status: 1,
      out: expect.stringContaining('row 3 does not fit: it was changed'),
    })
    expect(await json(here, 'audit', 'verify')).toMatchObject({ rows: 2, bad: { seq: 3, because: 'changed' } })
  })
})

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of a configuration file
import { describe, expect, it } from 'vitest'
import { ConfigError } from './config-error.ts'
import { readConfig } from './read-config.ts'

const origin = { file: 'redrive.yaml', folder: '/etc/redrive', environment: { OIDC_SECRET: 'hunter2' } }

const good: Readonly<Record<string, string>> = {
  issuer: 'https://login.example/realms/ops',
  clientId: 'redrive',
  clientSecret: '${OIDC_SECRET}',
  groups: '[{ group: ops, role: operator }]',
}

function written(change: Readonly<Record<string, string>> = {}, around = ''): string {
  const options = Object.entries({ ...good, ...change }).map(([name, value]) => `    ${name}: ${value}`)
  return ['login:', '  oidc:', ...options.filter((line) => !line.endsWith(': -')), around].join('\n')
}

async function mistakesIn(text: string): Promise<string> {
  const error = await readConfig(text, origin).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error('no mistake was found')
  expect(error.message).not.toContain('hunter2')
  return error.mistakes.map(({ line: at, column, problem }) => `${at}:${column}: ${problem}`).join('\n')
}

describe('login.oidc in a configuration', () => {
  it('is read with what holds where nothing is said, and its secret from the environment', async () => {
    const { login } = await readConfig(written(), origin)
    expect(login).toEqual({
      passwords: true,
      oidc: {
        ...{ issuer: good['issuer'], clientId: 'redrive', clientSecret: 'hunter2', name: 'Sign in with OpenID Connect' },
        ...{ scopes: ['openid', 'profile'], groupsClaim: 'groups', nameClaim: 'preferred_username' },
        groups: [{ group: 'ops', role: 'operator', sources: ['*'], reveal: false }],
      },
    })
    expect((await readConfig('vault: v.db', origin)).login).toEqual({ passwords: true })
  })

  it('is read with everything that can be said', async () => {
    const change = {
      ...{ name: 'Company login', scopes: '[openid, groups]', groupsClaim: 'realm_access.roles', nameClaim: 'email' },
      groups: '[{ group: /ops/admins, role: admin }, { group: pay, role: reader, sources: ["shop/pay.*"], reveal: true }]',
      others: '{ role: viewer }',
    }
    const { login } = await readConfig(written(change, '  passwords: false'), origin)
    expect(login.passwords).toBe(false)
    expect(login.oidc).toMatchObject({
      ...{ name: 'Company login', scopes: ['openid', 'groups'], groupsClaim: 'realm_access.roles', nameClaim: 'email' },
      groups: [
        { group: '/ops/admins', role: 'admin', sources: ['*'], reveal: false },
        { group: 'pay', role: 'reader', sources: ['shop/pay.*'], reveal: true },
      ],
      others: { role: 'viewer', sources: ['*'], reveal: false },
    })
  })

  it.each([
    ['no issuer', { issuer: '-' }, /login\.oidc\.issuer is missing/],
    [
      'an issuer in clear elsewhere',
      { issuer: 'http://login.example' },
      /^3:13: login\.oidc\.issuer .*http:\/\/ only on this machine/,
    ],
    ['an issuer that is no address', { issuer: 'login.example' }, /^3:13: login\.oidc\.issuer/],
    ['an issuer with a password in it', { issuer: 'https://a:hunter2@login.example' }, /^3:13: login\.oidc\.issuer/],
    ['no secret', { clientSecret: '-' }, /login\.oidc\.clientSecret is missing/],
    ['a secret that the environment lacks', { clientSecret: '${NOT_THERE}' }, /^5:19: .*NOT_THERE/],
    [
      'a role that nobody has',
      { groups: '[{ group: ops, role: operater }]' },
      /^6:\d+: .*groups\[0\]\.role .*Did you mean operator\?/,
    ],
    ['a role of programs', { groups: '[{ group: ops, role: consumer }]' }, /groups\[0\]\.role is "consumer"/],
    [
      'half an admin',
      { groups: '[{ group: ops, role: admin, sources: ["shop/*"] }]' },
      /groups\[0\]\.sources .*all sources for an admin/,
    ],
    ['scopes without openid', { scopes: '[profile]' }, /login\.oidc\.scopes .*openid among them/],
    ['nobody who may come in', { groups: '[]' }, /^2:3: login\.oidc names neither groups nor others/],
    ['an option that is none', { clientid: 'x' }, /login\.oidc\.clientid is not an option\. Did you mean clientId\?/],
  ])('with %s is a mistake with its place', async (_what, change, told) => {
    expect(await mistakesIn(written(change as Record<string, string>))).toMatch(told)
  })

  it.each([
    ['behind a proxy', 'server: { behindProxy: true }'],
    ['on all addresses', 'server: { host: 0.0.0.0, tls: { cert: c.pem, key: k.pem } }'],
  ])('%s needs to know the address that browsers see', async (_where, server) => {
    expect(await mistakesIn(written({}, server))).toMatch(/^2:3: login\.oidc needs server\.publicUrl/)
  })

  it('on this machine, or with its address, needs nothing more', async () => {
    const { login } = await readConfig(written({ issuer: 'http://127.0.0.1:9000' }), origin)
    expect(login.oidc?.issuer).toBe('http://127.0.0.1:9000')
    const behind = 'server: { behindProxy: true, publicUrl: "https://redrive.example" }'
    expect((await readConfig(written({}, behind), origin)).server.publicUrl).toBe('https://redrive.example')
  })

  it('is the only door where passwords are off, and so has to be there', async () => {
    expect(await mistakesIn('login: { passwords: false }')).toBe(
      '1:21: login.passwords is off and there is no login.oidc: nobody could sign in.',
    )
  })
})

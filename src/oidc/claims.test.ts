import { describe, expect, test } from 'vitest'
import { grantFor, nameFrom } from './claims.ts'
import type { OidcLogin } from './oidc-login.ts'

const login: OidcLogin = {
  ...{ issuer: 'https://login.example', clientId: 'redrive', clientSecret: 'x', name: 'x', scopes: ['openid'] },
  ...{ groupsClaim: 'groups', nameClaim: 'preferred_username' },
  groups: [
    { group: 'admins', role: 'admin', sources: ['*'], reveal: false },
    { group: 'ops', role: 'operator', sources: ['shop/*'], reveal: true },
  ],
}

describe('what somebody may do', () => {
  test.each([
    ['the first group in the configuration that they are in', { groups: ['ops', 'admins'] }, 'admin'],
    ['a group that stands there alone, as text', { groups: 'ops' }, 'operator'],
    ['no group of ours', { groups: ['others'] }, undefined],
    ['a group that only begins the same', { groups: ['admins2', 'Admins', ' admins'] }, undefined],
    ['no claim', {}, undefined],
    ['a claim that is something else', { groups: { admins: true } }, undefined],
    ['a list of other things', { groups: [['admins'], { group: 'admins' }, 1, null] }, undefined],
  ])('comes from %s', (_what, claims, role) => {
    expect(grantFor(claims, login)?.role).toBe(role)
  })

  test('comes from a claim inside of others, and from one whose name has dots', () => {
    const inside = { ...login, groupsClaim: 'realm_access.roles' }
    expect(grantFor({ realm_access: { roles: ['ops'] } }, inside)).toMatchObject({
      group: 'ops',
      sources: ['shop/*'],
      reveal: true,
    })
    const dotted = { ...login, groupsClaim: 'https://shop.example/groups' }
    expect(grantFor({ 'https://shop.example/groups': ['ops'] }, dotted)?.role).toBe('operator')
    expect(grantFor({}, { ...login, groupsClaim: 'constructor.name' })).toBeUndefined()
  })

  test('is what others get where they are in none', () => {
    const others = { role: 'viewer', sources: ['*'], reveal: false }
    expect(grantFor({ groups: ['x'] }, { ...login, others })).toEqual(others)
  })
})

describe('what somebody is called', () => {
  test.each([
    ['Ana.Lopez@shop.example', 'ana.lopez@shop.example'],
    ['Łukasz Żak', 'ukasz-ak'],
    ['  --root', 'root'],
    ['oidc:ana', 'oidc-ana'],
    ['x\n{"level":"audit"}', 'x-level-audit-'],
    ['x'.repeat(100), 'x'.repeat(44)],
    ['漢字', ''],
  ])('%j becomes %j', (said, name) => {
    expect(nameFrom({ preferred_username: said }, login)).toBe(name)
  })

  test('is nothing where the issuer does not say', () => {
    expect(nameFrom({ preferred_username: 7 }, login)).toBe('')
  })
})

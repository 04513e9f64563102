import { expect, test } from 'vitest'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { createAccounts } from '../../src/server/accounts.ts'
import { createPasswords, type Passwords } from '../../src/server/passwords.ts'
import { drawSecurely } from '../../src/server/secrets.ts'
import { memoryVault } from '../control/memory-vault.ts'

test('case 1: a wrong password, an unknown name and a disabled user cost one derivation each', async () => {
  const vault = memoryVault()
  const clock = virtualClock()
  const real = createPasswords(4)
  const asked: (string | undefined)[] = []
  const passwords: Passwords = {
    hash: real.hash,
    matches: (password, kept) => {
      asked.push(kept)
      return real.matches(password, kept)
    },
  }
  const accounts = createAccounts({ vault, clock, passwords, draw: drawSecurely, idle: 1000, absolute: 1000 })
  const grant = { role: 'viewer', sources: ['*'], reveal: false, now: 0 }
  const ana = await vault.write('createUser', { ...grant, role: 'admin', name: 'ana' })
  const ben = await vault.write('createUser', { ...grant, name: 'ben' })
  for (const { id } of [ana, ben]) await vault.write('setPassword', { id, password: await real.hash('right password', 'x') })
  await vault.write('changeUser', { id: ben.id, version: 2, disabled: true })

  for (const [name, password] of [
    ['ana', 'wrong password'],
    ['nobody', 'right password'],
    ['ben', 'right password'],
  ] as const) {
    await expect(accounts.checkPassword(name, password, '127.0.0.1')).rejects.toThrow('The name or the password is wrong.')
  }
  expect(asked).toEqual([expect.any(String), undefined, expect.any(String)])
})

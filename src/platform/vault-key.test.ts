import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { keyBytes, readVaultKey, vaultKeyOf } from './vault-key.ts'

const bytes = randomBytes(keyBytes)

test.each([
  ['base64', bytes.toString('base64')],
  ['base64 with a line break, as a file has it', `${bytes.toString('base64')}\n`],
  ['hexadecimal digits', bytes.toString('hex')],
  ['large hexadecimal digits', bytes.toString('hex').toUpperCase()],
])('a key is read from %s, and is the same one', (_, text) => {
  expect(readVaultKey(text)).toMatchObject({ id: vaultKeyOf(bytes).id })
})

test.each([
  ['is empty', ''],
  ['is empty', ' \n'],
  ['has 16 bytes; AES-256 needs 32', randomBytes(16).toString('base64')],
  ['has 33 bytes; AES-256 needs 32', randomBytes(33).toString('base64')],
  ['is neither base64 nor 64 hexadecimal digits', 'correct horse battery staple!'],
])('one that %s is refused, and nothing of it is told', (problem, text) => {
  expect(readVaultKey(text)).toEqual({ problem })
})

test('a key is written out by nothing that writes objects out, and its id holds nothing of it', () => {
  const key = vaultKeyOf(bytes)
  const written = [inspect(key, { depth: 9, showHidden: true }), JSON.stringify(key), String(key.secret)].join('\n')
  for (const form of ['hex', 'base64', 'latin1'] as const) expect(written).not.toContain(bytes.toString(form))
  expect(key.id).toMatch(/^[0-9a-f]{16}$/)
  expect(bytes.toString('hex')).not.toContain(key.id)
  expect(vaultKeyOf(randomBytes(keyBytes)).id).not.toBe(key.id)
})

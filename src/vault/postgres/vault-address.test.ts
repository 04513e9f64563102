import { expect, test } from 'vitest'
import { isServerUrl } from '../../core/vault-place.ts'
import { shownAddress, vaultAddress } from './vault-address.ts'

test('the schema is ours, and the rest of the url is for the library', () => {
  expect(vaultAddress('postgres://ana:pw@db:5433/shop?schema=letters&sslmode=require')).toEqual({
    url: 'postgres://ana:pw@db:5433/shop?sslmode=require',
    schema: 'letters',
  })
  expect(vaultAddress('postgresql://db/shop').schema).toBe('redrive_vault')
})

test('people are told where it is, and never how to come in', () => {
  expect(shownAddress('postgres://ana:pw@db:5433/shop')).toBe('postgres://db:5433/shop?schema=redrive_vault')
})

test.each(['Letters', '1st', 'pg_letters', 'a-b', 'a;drop', ''])('%j is no name of a schema', (schema) => {
  expect(() => vaultAddress(`postgres://db/shop?schema=${encodeURIComponent(schema)}`)).toThrow(/^vault: schema is/)
})

test('a url that cannot be read is not shown', () => {
  expect(() => vaultAddress('postgres://ana:secret@[/x')).toThrow(/^(?!.*secret)/)
})

test.each([
  ['postgres://db/shop', true],
  ['postgresql://db/shop', true],
  ['./redrive.db', false],
  ['/var/lib/postgres/vault.db', false],
])('%s: on a server is %s', (vault, expected) => expect(isServerUrl(vault)).toBe(expected))

import rhea from 'rhea'
import { expect, test } from 'vitest'
import { encodedRejection } from './encoded-rejection.ts'
import type { RheaTypes, Typed } from './rhea.ts'

const types = rhea.types as unknown as RheaTypes & {
  readonly Writer: new () => { write(value: Typed): void; toBuffer(): Buffer }
}
const { message } = rhea as unknown as { message: { rejected(fields: object): { described(): Typed } } }

function written(value: Typed | undefined): string {
  const writer = new types.Writer()
  if (value) writer.write(value)
  return writer.toBuffer().toString('hex')
}

test.each<[string, Readonly<Record<string, string>>]>([
  ['nothing', {}],
  ['a text', { reason: 'PoisonMessage' }],
  ['texts that are empty', { '': '', reason: '' }],
  [
    'texts that are just short enough, and just too long, for one byte',
    { ['ä'.repeat(127)]: 'ä'.repeat(128), reason: 'x'.repeat(255) },
  ],
  ['a text of many bytes', { stack: 'x'.repeat(256), more: '€'.repeat(30_000) }],
])('a rejection with %s is written as rhea writes it', (_, info) => {
  const byRhea = message.rejected({ error: { condition: 'com.microsoft:dead-letter', info } }).described()
  expect(written(encodedRejection(types, Object.entries(info).flat()))).toBe(written(byRhea))
})

test('nothing is made of bytes that are not as they are known', () => {
  const changed = { ...types, Vbin32: (bytes: Buffer) => ({ type: { name: 'Vbin32', typecode: 0xb0, width: 8 }, value: bytes }) }
  expect(encodedRejection(changed, ['reason', 'PoisonMessage'])).toBeUndefined()
})

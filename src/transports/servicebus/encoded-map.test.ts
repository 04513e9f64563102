import rhea from 'rhea'
import { expect, test } from 'vitest'
import { encodedMap } from './encoded-map.ts'
import type { RheaTypes, Typed } from './rhea.ts'

const types = rhea.types as unknown as RheaTypes & {
  readonly Writer: new () => { write(value: Typed): void; toBuffer(): Buffer }
}

function written(value: Typed | undefined): string {
  const writer = new types.Writer()
  if (value) writer.write(value)
  return writer.toBuffer().toString('hex')
}

test.each([
  ['nothing', {}],
  ['a text', { reason: 'PoisonMessage' }],
  ['texts that are empty', { '': '', reason: '' }],
  [
    'texts that are just short enough, and just too long, for one byte',
    { ['ä'.repeat(127)]: 'ä'.repeat(128), reason: 'x'.repeat(255) },
  ],
  ['a text of many bytes', { stack: 'x'.repeat(256), more: '€'.repeat(30_000) }],
])('%s is written as rhea writes it', (_, texts) => {
  expect(written(encodedMap(types, texts))).toBe(written(types.wrap(texts)))
})

test('nothing is made of bytes that are not as they are known', () => {
  const changed = { ...types, Vbin32: (bytes: Buffer) => ({ type: { name: 'Vbin32', typecode: 0xb0, width: 8 }, value: bytes }) }
  expect(encodedMap(changed, { reason: 'PoisonMessage' })).toBeUndefined()
})

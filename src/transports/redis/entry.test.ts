import { expect, test } from 'vitest'
import { encodeEnvelope } from '../../core/envelope.ts'
import { messageIn } from './entry.ts'

const fields = (named: Readonly<Record<string, string>>) =>
  Object.entries(named).flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)])
const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const envelope = encodeEnvelope({ id: 'a', body: null, headers: [['tenant', 'acme']] })

test('an entry of ours is the message that was sent', () => {
  const read = messageIn(fields({ envelope, body: 'one' }), null)
  expect(read).toEqual({ id: 'a', body: bytes('one'), headers: [['tenant', 'acme']] })
})

test('an entry of ours without a body is a message without one', () => {
  expect(messageIn(fields({ envelope }), null).body).toBeNull()
})

test('headers that a retry changed replace those of the entry, also of an entry of others', () => {
  const replaced = Buffer.from(encodeEnvelope({ body: null, headers: [['tenant', 'other']] }))
  const read = messageIn(fields({ payload: 'one', tenant: 'acme' }), replaced)
  expect(read).toEqual({ body: bytes('one'), headers: [['tenant', 'other']] })
})

test('an entry without any field that is usual for a body is all of it', () => {
  const read = messageIn(fields({ order: '7' }), null)
  expect(read).toEqual({ body: bytes('{"order":"7"}'), headers: [['order', '7']] })
})

test.each(['no JSON', '{}', '[1,2]', 'null', '[1,null,null,null,null,null,[null],null]'])(
  'a field that only happens to be called envelope (%s) is a header',
  (text) => {
    expect(messageIn(fields({ envelope: text, body: 'one' }), null)).toEqual({
      body: bytes('one'),
      headers: [['envelope', text]],
    })
  },
)

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Header, HeaderValue, Message } from '../../core/message.ts'
import { rocketmqCapabilities } from './capabilities.ts'
import { type Incoming, type Outgoing, toMessage, toOutgoing } from './message.ts'
import { groupsForKeyless, messageGroupOf } from './message-group.ts'

const limits = rocketmqCapabilities('normal', 4 * 1024 * 1024).messages

function incoming({ body, properties, tag, keys }: Outgoing): Incoming {
  return { body, properties, tag, native: { ...(tag !== undefined && { tag }), keys: [...keys] } }
}

function thereAndBack(message: Message): Message {
  const { native: _, ...rest } = toMessage(incoming(toOutgoing(message, limits, false)))
  return rest
}

const value: fc.Arbitrary<HeaderValue> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 20 }),
  fc.bigInt(),
)
const header: fc.Arbitrary<Header> = fc.tuple(fc.string({ minLength: 1, maxLength: 20 }), value)

describe('a message in RocketMQ', () => {
  test('comes back as it was, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.option(fc.uint8Array({ maxLength: 100 })),
        fc.array(header, { maxLength: 8 }),
        fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
        (body, headers, id) => {
          const sent: Message = { body, headers, ...(id !== undefined && { id }) }
          expect(thereAndBack(sent)).toEqual(sent)
        },
      ),
    )
  })

  test('holds no property that RocketMQ would not take', () => {
    fc.assert(
      fc.property(fc.array(header, { maxLength: 8 }), (headers) => {
        const { properties } = toOutgoing({ body: new Uint8Array([1]), headers }, limits, true)
        for (const [name, text] of properties) expect(`${name}${text}`).not.toMatch(/^$|[\u0000-\u001f\u007f-\u009f]/)
        expect(properties.size).toBeLessThanOrEqual(128)
      }),
    )
  })

  test('puts plain headers where others read them, and names of the broker where it does not see them', () => {
    const headers = [['tenant', 'north'] as const, ['KEYS', 'mine'] as const, ['count', 3] as const]
    const { properties } = toOutgoing({ body: null, headers }, limits, false)
    expect([...properties.keys()].sort()).toEqual(['redrive', 'tenant'])
  })

  test('of others has its properties as headers, its tag as type and its message group as key', () => {
    const message = toMessage({
      body: Buffer.from('x'),
      properties: new Map([['a', 'b']]),
      native: {},
      tag: 't',
      messageGroup: 'g',
    })
    expect(message).toMatchObject({ headers: [['a', 'b']], type: 't', key: 'g' })
  })

  test('whose property is called redrive and is not ours stays as it is', () => {
    for (const text of ['framed', '[]', 'anything'])
      expect(toMessage({ body: Buffer.from('x'), properties: new Map([['redrive', text]]), native: {} })).toMatchObject({
        headers: [['redrive', text]],
      })
  })

  test('is refused where it is too large with headers that stand before its body', () => {
    const headers = [['stack', 'x\n'.repeat(12_000)] as const]
    const body = new Uint8Array(4 * 1024 * 1024 - 1000)
    expect(() => toOutgoing({ body, headers }, limits, false)).toThrow(expect.objectContaining({ code: 'too-large' }))
  })
})

describe('message groups', () => {
  test('are keys where those are plain, and hashes that differ where not', () => {
    const groups = [messageGroupOf('k'), messageGroupOf('ü'), messageGroupOf(Buffer.from('ü')), messageGroupOf('k'.repeat(65))]
    expect(groups[0]).toBe('k')
    expect(new Set(groups).size).toBe(4)
    expect(groups.every((group) => group.length <= 64)).toBe(true)
  })

  test('for messages without a key are one for each queue', () => {
    for (const queues of [1, 8, 256]) expect(new Set(groupsForKeyless(queues)).size).toBe(queues)
  })
})

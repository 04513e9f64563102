import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeMessage, encodeEnvelope, envelopeIn, parseEnvelope } from './envelope.ts'
import type { HeaderValue, Message } from './message.ts'

const there = (message: Message): Message => decodeMessage(parseEnvelope(encodeEnvelope(message)), message.body)
const valueThere = (value: HeaderValue): HeaderValue | undefined => there({ body: null, headers: [['h', value]] }).headers[0]?.[1]

const headerValue: fc.Arbitrary<HeaderValue> = fc.letrec<{ value: HeaderValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array(),
    fc.date({ noInvalidDate: false }),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value'), { noNullPrototype: true }),
  ),
})).value

describe('headers', () => {
  test('every value comes back exactly as it was', () => {
    fc.assert(
      fc.property(headerValue, (value) => {
        expect(valueThere(value)).toStrictEqual(value)
      }),
    )
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 2 ** 53, 5e-324])(
    '%s stays what it is',
    (value) => {
      expect(Object.is(valueThere(value), value)).toBe(true)
    },
  )

  test('a table that looks like a tag stays a table', () => {
    const table = { bytes: 'AA==', table: { date: 1 }, ['__proto__']: 'x' }
    expect(valueThere(table)).toStrictEqual(table)
  })

  test('their order and repetition are kept', () => {
    const headers = [
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
    ] as const
    expect(there({ body: null, headers }).headers).toEqual(headers)
  })

  test('a lone surrogate and a zero byte survive', () => {
    expect(valueThere('\ud800 \u0000')).toBe('\ud800 \u0000')
  })

  test('something that no header can hold is refused', () => {
    expect(() => encodeEnvelope({ body: null, headers: [['h', (() => 0) as never]] })).toThrow(TypeError)
  })
})

describe('what anybody may have written', () => {
  test('is an envelope where it is one of ours, whatever it holds', () => {
    fc.assert(
      fc.property(headerValue, fc.oneof(fc.string(), fc.uint8Array()), (value, key) => {
        const text = encodeEnvelope({
          ...{ body: null, key, headers: [['h', value]] },
          native: { transport: 'any', properties: { h: value } },
        })
        expect(envelopeIn(text)).toStrictEqual(parseEnvelope(text))
      }),
    )
  })

  test.each([
    'no JSON',
    'null',
    '{}',
    '[1,null,null,null,null,null,[]]',
    '["1",null,null,null,null,null,[],null]',
    '[1,5,null,null,null,null,[],null]',
    '[1,null,null,null,null,5,[],null]',
    '[1,null,null,null,null,{"table":{}},[],null]',
    '[1,null,null,null,null,null,null,null]',
    '[1,null,null,null,null,null,[null],null]',
    '[1,null,null,null,null,null,[["h"]],null]',
    '[1,null,null,null,null,null,[["h",{}]],null]',
    '[1,null,null,null,null,null,[["h",{"integer":"x"}]],null]',
    '[1,null,null,null,null,null,[["h",{"bytes":5}]],null]',
    '[1,null,null,null,null,null,[["h",{"table":null}]],null]',
    '[1,null,null,null,null,null,[["h",{"toString":"x"}]],null]',
    '[1,null,null,null,null,null,[["h",{"bytes":"","date":1}]],null]',
    '[1,null,null,null,null,null,[],["any"]]',
    '[1,null,null,null,null,null,[],["any",[]]]',
    `[1,null,null,null,null,null,[["h",${'['.repeat(100_000)}${']'.repeat(100_000)}]],null]`,
  ])('is none otherwise: %.60s', (text) => {
    expect(envelopeIn(text)).toBeUndefined()
  })

  test.each([10, 499, 600, 1500, 3000, 5000])('overflows nobody with %i tables in each other', (deep) => {
    const value = `${'{"table":{"t":'.repeat(deep)}1${'}}'.repeat(deep)}`
    const envelope = envelopeIn(`[1,null,null,null,null,null,[["h",${value}]],null]`)
    if (envelope) decodeMessage(envelope, null)
    expect(envelope !== undefined).toBe(deep < 500)
  })

  test('can be decoded wherever it is taken for an envelope', () => {
    fc.assert(
      fc.property(headerValue, fc.nat(7), fc.jsonValue(), (value, place, other) => {
        const ours = parseEnvelope(encodeEnvelope({ body: null, headers: [['h', value]] }))
        const envelope = envelopeIn(JSON.stringify((ours as unknown[]).with(place, other)))
        if (envelope) decodeMessage(envelope, null)
      }),
    )
  })
})

describe('the rest of a message', () => {
  test('everything that is there comes back, and nothing else', () => {
    const full: Message = {
      id: 'id',
      body: Uint8Array.of(1, 2),
      headers: [],
      key: Uint8Array.of(255),
      type: 'order.placed',
      contentType: 'application/json',
      correlationId: 'c',
      native: { transport: 'rabbitmq', properties: { priority: 3, nested: { at: new Date(0) } } },
    }
    expect(there(full)).toStrictEqual(full)
    expect(there({ body: null, headers: [] })).toStrictEqual({ body: null, headers: [] })
  })
})

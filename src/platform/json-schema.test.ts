import { describe, expect, test } from 'vitest'
import { compileSchema } from './json-schema.ts'

const order = {
  type: 'object',
  required: ['order', 'country'],
  properties: {
    order: { type: 'integer' },
    country: { type: 'string', pattern: '^[A-Z]{2}$' },
    placed: { type: 'string', format: 'date-time' },
    lines: { type: 'array', items: { type: 'object', properties: { 'sku/size': { enum: ['S', 'M'] } } } },
  },
  additionalProperties: false,
}

describe('a schema', () => {
  test('finds nothing in what it allows', () => {
    expect(compileSchema(order)({ order: 1, country: 'DE', placed: '2026-11-16T12:00:00Z' })).toEqual([])
  })

  test('tells every place that it does not allow, with the rule that says so', () => {
    const found = compileSchema(order)({ order: '1', placed: 'today', lines: [{}, { 'sku/size': 'X' }], 'a/b~c': 1 })
    expect(found).toEqual([
      { at: '', rule: '#/required', text: "must have required property 'country'" },
      { at: '/a~1b~0c', rule: '#/additionalProperties', text: 'must NOT have additional properties' },
      { at: '/order', rule: '#/properties/order/type', text: 'must be integer' },
      { at: '/placed', rule: '#/properties/placed/format', text: 'must match format "date-time"' },
      {
        at: '/lines/1/sku~1size',
        rule: '#/properties/lines/items/properties/sku~1size/enum',
        text: 'must be equal to one of the allowed values',
      },
    ])
  })

  test('says nothing in its own words that only the body holds', () => {
    const secret = '4111-1111'
    const found = compileSchema(order)({ order: secret, country: secret, placed: secret, [secret]: secret })
    expect(found.length).toBeGreaterThan(3)
    expect(JSON.stringify(found.map(({ rule, text }) => [rule, text]))).not.toContain(secret)
  })

  test('is read as of draft 7 where it says so, and else as of 2020-12', () => {
    const tuple = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }
    expect(compileSchema(tuple)([1])).toMatchObject([{ at: '/0', text: 'must be string' }])
    expect(compileSchema({ prefixItems: [{ type: 'string' }] })([1])).toMatchObject([{ at: '/0', text: 'must be string' }])
  })

  test.each([
    [{ type: 'objekt' }, 'schema is invalid'],
    [{ requierd: ['order'] }, 'unknown keyword: "requierd"'],
    [{ $ref: '#/$defs/none' }, "can't resolve reference"],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'draft-04'],
  ])('is refused when it is %j, instead of allowing everything', (schema, told) => {
    expect(() => compileSchema(schema)).toThrow(told)
  })
})

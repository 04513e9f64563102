import { describe, expect, test } from 'vitest'
import { type BodyChecks, judgeBody, type SchemaMistake } from './body-check.ts'

const wrong = (text: string): SchemaMistake => ({ at: '', rule: '#', text })
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const checks: BodyChecks = new Map([
  ['order.placed', () => [wrong('as an order')]],
  ['*', () => [wrong('as anything')]],
])

describe('a body', () => {
  test.each([
    ['order.placed', 'as an order'],
    ['order.changed', 'as anything'],
    [undefined, 'as anything'],
  ])('of the type %s is judged by the schema of that type, or by the one for all', (type, text) => {
    expect(judgeBody(checks, type, bytes('{}'))).toEqual({ hasSchema: true, mistakes: [wrong(text)] })
  })

  test('has no schema where none is named for its type, or its source has none', () => {
    const none = { hasSchema: false, mistakes: [] }
    expect(judgeBody(new Map([['order.placed', () => []]]), 'other', bytes('{}'))).toEqual(none)
    expect(judgeBody(undefined, 'order.placed', bytes('{'))).toEqual(none)
  })

  test('that is no JSON breaks every schema, and one that is not there breaks none', () => {
    const noJson = [{ at: '', rule: '#', text: 'must be JSON' }]
    expect(judgeBody(checks, 'order.placed', bytes('{'))).toEqual({ hasSchema: true, mistakes: noJson })
    expect(judgeBody(checks, 'order.placed', Uint8Array.of(0xff))).toEqual({ hasSchema: true, mistakes: noJson })
    expect(judgeBody(checks, 'order.placed', null)).toEqual({ hasSchema: true, mistakes: [] })
  })
})

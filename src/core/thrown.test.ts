import { describe, expect, it } from 'vitest'
import { errorChain, errorTypeOf } from './thrown.ts'

class CardExpired extends Error {}

describe('errorChain', () => {
  it('goes outside in: the error, its cause, its siblings, then theirs', () => {
    const [cause, sibling, deeper] = [new Error('cause'), new Error('sibling'), new Error('deeper')]
    cause.cause = deeper
    const outer = new AggregateError([sibling], 'outer', { cause })
    expect(errorChain(outer)).toEqual([outer, cause, sibling, deeper])
  })

  it('names each error of a circle once', () => {
    const [first, second] = [new Error('first'), new Error('second')]
    first.cause = second
    second.cause = first
    expect(errorChain(first)).toEqual([first, second])
  })

  it('takes the errors of nothing but an AggregateError, because elsewhere they are details of a validation', () => {
    const error = Object.assign(new Error('invalid'), { errors: [{ code: 'ECONNRESET' }] })
    expect(errorChain(error)).toEqual([error])
  })

  it('looks at no more than sixteen errors, however many are claimed', () => {
    let reads = 0
    const items = new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 31 : { number: ++reads }) })
    expect(errorChain({ name: 'AggregateError', errors: items })).toHaveLength(16)
    expect(reads).toBeLessThanOrEqual(16)
  })
})

it.each([
  [new Error('x'), 'Error'],
  [new TypeError('x'), 'TypeError'],
  [new CardExpired('x'), 'CardExpired'],
  [Object.assign(new Error('x'), { name: 'Throttled' }), 'Throttled'],
  [Object.assign(new CardExpired('x'), { name: '' }), 'CardExpired'],
  [Object.assign(new Error('x'), { name: 'N'.repeat(1e6) }), 'N'.repeat(128)],
  [{}, 'Error'],
  [Object.create(null), 'Error'],
  ['text', 'Error'],
  [undefined, 'Error'],
])('what was thrown goes by a name (%#)', (thrown, name) => {
  expect(errorTypeOf(thrown)).toBe(name)
})

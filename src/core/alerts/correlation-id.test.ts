import { expect, it } from 'vitest'
import { sha256 } from '../sha256.ts'
import { mostCorrelationIds, shownCorrelationId } from './correlation-id.ts'

it.each(['order-4711', '7', 'a1', 'A.b_c:d-9', '0b0c9a3e-1111-4222-8333-444455556666', `1${'a'.repeat(127)}`])(
  '%s is shown',
  (id) => {
    expect(shownCorrelationId(id)).toBe(id)
  },
)

it.each(['Jane', 'Jane Doe 7', 'jane7@example.com', '', `1${'a'.repeat(128)}`, '4111111111111111', ' 7', '7 ', '7\n'])(
  '%j is shown as its hash',
  (id) => {
    expect(shownCorrelationId(id)).toBe(`sha256:${sha256(id).slice(0, 16)}`)
  },
)

it('five are enough', () => {
  expect(mostCorrelationIds).toBe(5)
})

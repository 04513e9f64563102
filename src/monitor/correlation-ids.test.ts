import { expect, it } from 'vitest'
import { createCorrelationIds } from './correlation-ids.ts'

function shown(...ids: (string | undefined)[]): readonly string[] {
  const known = createCorrelationIds()
  for (const id of ids) known.add(id)
  return known.list()
}

it.each(['9f1c6a52-7b0e-4f5d-9a33-0a1b2c3d4e5f', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'tx-a1b2-00017', 'order:42'])(
  'shows %s as it is',
  (id) => {
    expect(shown(id)).toEqual([id])
  },
)

it.each(['Jane Doe', 'jane', 'jane.doe@example.com', '4111111111111111', '078-05-1120', 'a\nb1', '{"name":"x1"}', ''])(
  'shows only a hash of %j, which is no id',
  (id) => {
    expect(shown(id)).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{16}$/)])
  },
)

it('keeps the newest five, each once', () => {
  expect(shown('c1', 'c2', undefined, 'c3', 'c3', 'c4', 'c5', 'c6')).toEqual(['c2', 'c3', 'c4', 'c5', 'c6'])
})

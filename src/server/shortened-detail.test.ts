import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { shortenedDetail } from './shortened-detail.ts'

const ids = Array.from({ length: 600 }, (_, index) => 1_000_001 + index)

test('of a long list its length, its hash and both its ends are left, and what is short stays', () => {
  expect(shortenedDetail({ selection: { letters: ids }, token: 7 })).toEqual({
    selection: { letters: { count: 600, sha256: hash('sha256', JSON.stringify(ids)), first: 1_000_001, last: 1_000_600 } },
    token: 7,
  })
})

test('of a long text its length, its hash and its beginning are left', () => {
  const filter = `error:${'x'.repeat(5000)}`
  expect(shortenedDetail({ filter })).toEqual({
    filter: { length: 5006, sha256: hash('sha256', filter), begins: expect.stringMatching(/^error:x{193}…$/) },
  })
})

test('a row is short whatever the lists hold', () => {
  const deep = {
    edits: Array(100).fill({ letter: 'y'.repeat(500), edit: 1 }),
    more: Object.fromEntries(ids.map((id) => [id, id])),
  }
  expect(JSON.stringify(shortenedDetail({ selection: deep, sources: Array(100).fill('s'.repeat(500)) })).length).toBeLessThan(
    4000,
  )
})

import { describe, expect, it } from 'vitest'
import { recurring } from './recurring.ts'

interface Lane {
  readonly key: string
  busy: boolean
}

function lanes() {
  const made: string[] = []
  const all = recurring<Lane>(
    (key) => {
      made.push(key)
      return { key, busy: false }
    },
    ({ busy }) => !busy,
  )
  return { all, made }
}

describe('what recurs by key', () => {
  it('is made once, and is there again when it was idle', () => {
    const { all, made } = lanes()
    const first = all.obtain('a')
    all.rested()
    expect([all.obtain('a'), all.get('a'), made]).toEqual([first, first, ['a']])
    expect(all.get('b')).toBeUndefined()
  })

  it('takes no room for keys that never come again', () => {
    const { all } = lanes()
    for (let key = 0; key < 100_000; key++) {
      all.obtain(String(key))
      all.rested()
    }
    const left = Array.from({ length: 100_000 }, (_, key) => all.get(String(key))).filter((value) => value !== undefined)
    expect(left.length).toBeLessThanOrEqual(10_000)
  })

  it('keeps every one that is busy, however many there are', () => {
    const { all } = lanes()
    for (let key = 0; key < 50_000; key++) {
      const lane = all.obtain(String(key))
      lane.busy = key % 2 === 0
      all.rested()
    }
    const kept = Array.from({ length: 25_000 }, (_, half) => all.get(String(2 * half)))
    expect(kept.every((lane) => lane?.busy)).toBe(true)
  })
})

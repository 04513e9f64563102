import { describe, expect, test } from 'vitest'
import { binaryArray } from './binary-array.ts'
import { forRows } from './for-rows.ts'

const insert = "INSERT INTO letters (source, state, key) VALUES (?, 'a?b', ?) ON CONFLICT (source) DO NOTHING"

describe('A statement for several rows', () => {
  test('has the same text and the same name for any number of rows', () => {
    const [one, two] = [
      forRows(insert, [[1, 'a']]),
      forRows(insert, [
        [1, 'a'],
        [2, null],
      ]),
    ]
    expect(one.text).toBe(
      "INSERT INTO letters (source, state, key) SELECT given.v1, 'a?b', given.v2 FROM unnest($1::bigint[], $2::text[]) AS given (v1, v2) ON CONFLICT (source) DO NOTHING",
    )
    expect([two.text, two.name]).toEqual([one.text, one.name])
    expect(one.values).toHaveLength(2)
  })

  test('says of a column in which nobody has a value that there is none', () => {
    const { text, values, name } = forRows(insert, [[1, null]])
    expect(text).toContain("SELECT given.v1, 'a?b', NULL FROM unnest($1::bigint[]) AS given (v1)")
    expect(values).toHaveLength(1)
    expect(name).not.toBe(forRows(insert, [[1, 'a']]).name)
  })

  test('is prepared under no name once there are very many of them', () => {
    const named = Array.from({ length: 300 }, (_, n) => forRows(`INSERT INTO t${n} (a) VALUES (?)`, [[n]]).name)
    expect(new Set(named.filter((name) => name !== undefined)).size).toBeLessThan(300)
    expect(named.at(-1)).toBeUndefined()
  })
})

describe('A column as the server reads it', () => {
  test('holds the length and the bytes of each value, and no bytes for none', () => {
    expect(binaryArray(['é', null])).toEqual({
      type: 'text',
      bytes: Buffer.from('0000000100000001000000190000000200000001' + '00000002c3a9' + 'ffffffff', 'hex'),
    })
    expect(binaryArray([-2])?.bytes.subarray(20).toString('hex')).toBe('00000008fffffffffffffffe')
    expect(binaryArray([new Uint8Array([0, 255])])).toMatchObject({ type: 'bytea' })
  })

  test('has no type where nobody has a value', () => {
    expect(binaryArray([null, null])).toBeUndefined()
  })
})

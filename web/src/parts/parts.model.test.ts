import { describe, expect, test } from 'vitest'
import { changeText, inPlace } from './in-place.model.ts'
import { bytesText, many, numberText } from './number.model.ts'
import { seen, seenLines } from './seen.model.ts'
import { filterArgument, quoted } from './shell-quote.model.ts'
import { agoText, durationText } from './time.model.ts'

describe('numbers', () => {
  test('stand in groups, and one of a thing is not several', () => {
    expect(numberText(1234567)).toBe('1,234,567')
    expect([many(0, 'letter'), many(1, 'letter'), many(2000, 'letter')]).toEqual(['0 letters', '1 letter', '2,000 letters'])
    expect(many(2, 'look at it', 'looks at it')).toBe('2 looks at it')
  })

  test('of bytes are told in the largest unit that leaves at least one', () => {
    expect([0, 1023, 1024, 1536, 1024 ** 2, 1024 ** 3, 5 * 1024 ** 4].map(bytesText)).toEqual([
      ...['0 B', '1023 B', '1.0 KiB', '1.5 KiB', '1.0 MiB', '1.0 GiB', '5120.0 GiB'],
    ])
  })
})

describe('times', () => {
  test('are told in their largest unit, and never less than nothing', () => {
    expect([-1, 999, 1000, 59_999, 60_000, 3_600_000, 86_400_000].map(durationText)).toEqual([
      ...['0 s', '0 s', '1 s', '59 s', '1 min', '1 h', '1 d'],
    ])
  })

  test('that are nearly now are now', () => {
    expect([agoText(1000, 5999), agoText(1000, 6000)]).toEqual(['just now', '5 s ago'])
  })
})

describe('text of strangers', () => {
  test('is written out where it would act on the eye, in one line or in several', () => {
    expect(seen('a\u202eb\nc')).toBe('a\\u202eb\\nc')
    expect(seenLines('a\u202eb\n\tc\r\nd')).toBe('a\\u202eb\n\tc\r\nd')
  })
})

describe('an argument of a shell', () => {
  test('stands in single quotes where the shell would read it otherwise', () => {
    expect([quoted('state:open'), quoted('a b'), quoted("it's"), quoted('$(id)'), quoted('')]).toEqual([
      ...['state:open', "'a b'", `'it'\\''s'`, "'$(id)'", "''"],
    ])
  })

  test('that is a filter and begins with a minus is no option', () => {
    expect([filterArgument(''), filterArgument('age>1h'), filterArgument('-state:open')]).toEqual([
      '',
      "'age>1h'",
      '-- -state:open',
    ])
  })
})

describe('a list that somebody reads', () => {
  const row = (id: number, letters = 1) => ({ id, letters })
  const idOf = ({ id }: { readonly id: number }) => id

  test('keeps its rows in their places with new values, those that left too, and lets new ones wait', () => {
    const shown = [row(1), row(2), row(3)]
    const { rows, gone, waiting, isReordered } = inPlace(shown, [row(9), row(3, 7), row(1, 5)], idOf)
    expect(rows).toEqual([row(1, 5), row(2), row(3, 7)])
    expect([...gone]).toEqual([row(2)])
    expect([waiting, isReordered]).toEqual([1, true])
    expect(inPlace(shown, [...shown, row(4)], idOf)).toMatchObject({ waiting: 1, isReordered: false })
  })

  test('says what would change, and nothing where nothing would', () => {
    const none = { waiting: 0, gone: new Set(), isReordered: false }
    expect(changeText(none, 'cause')).toBeUndefined()
    expect(changeText({ ...none, waiting: 1, isReordered: true }, 'cause')).toBe('1 new cause')
    expect(changeText({ ...none, waiting: 2, gone: new Set([row(1)]) }, 'cause')).toBe('2 new causes, 1 left this list')
    expect(changeText({ ...none, isReordered: true }, 'cause')).toBe('The order is another by now')
  })
})

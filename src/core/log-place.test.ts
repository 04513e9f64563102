import { expect, it } from 'vitest'
import { logPlaceOf } from './log-place.ts'

it.each([
  ['orders/3/42', { partition: 3, offset: 42n }],
  ['orders/999999999/0', { partition: 999_999_999, offset: 0n }],
  ['a/b.c/0/9223372036854775807', { partition: 0, offset: 9223372036854775807n }],
])('the position %s is a place on a log', (position, place) => expect(logPlaceOf(position)).toEqual(place))

it.each([undefined, '', '42', '3/42', 'orders/x/42', 'orders/3/', 'orders/3/42/x', 'orders/3/42x', 'orders/1234567890/42'])(
  'the position %s is none',
  (position) => expect(logPlaceOf(position)).toBeUndefined(),
)

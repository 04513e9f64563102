import { expect, it } from 'vitest'
import { alertFacts, notification } from '../notification.fixture.ts'
import type { Notification } from '../notification.ts'
import { fitted } from './fit.ts'

const five = notification({ alerts: Array.from({ length: 5 }, () => alertFacts()) })
/** Two bytes for each alert, and one for each that is not listed. */
const write = ({ alerts, more }: Notification): string => 'é'.repeat(alerts.length) + '+'.repeat(more)

it.each([
  [11, 'ééééé'],
  [10, 'ééééé'],
  [9, 'éééé+'],
  [8, 'ééé++'],
  [5, '+++++'],
  [0, '+++++'],
])('in %i bytes as many alerts are listed as fit: %s', (bytes, written) => {
  expect(fitted(five, bytes, write)).toBe(written)
})

it('what was not listed before is counted too, and all else stays', () => {
  expect(fitted({ ...five, more: 2 }, 9, write)).toBe('éé+++++')
  expect(JSON.parse(fitted(five, 0, JSON.stringify))).toEqual({ ...five, alerts: [], more: 5 })
})

import { expect, test } from 'vitest'
import { type Preview, previewLines } from './preview.ts'

type Reach = NonNullable<Preview['destinations'][number]['reach']>

/** What is said of one letter that goes by an exchange which reaches so much. */
function said(reach: Reach, exchange = 'shop'): readonly string[] {
  const destination = { connection: 'broker', channel: 'orders', via: { exchange, routingKey: 'order.placed' } }
  const preview: Preview = {
    plan: { rate: 1, canary: null, observe: 1000 },
    ...{ letters: 1, before: 2, destinations: [{ destination, letters: 1, reach }], destinationsInAll: 1 },
    ...{ refused: 0, refusals: [], edited: 0 },
  }
  return previewLines(preview, 0).slice(1, -3)
}

test('the queues that an exchange reaches are named before anybody says yes', () => {
  expect(said({ channels: ['audit', 'orders'] })).toEqual([
    '  1 to broker / exchange shop, key order.placed',
    '    which reaches audit, orders: each of them gets it again',
  ])
  expect(said({ channels: ['orders'] }, '')[0]).toBe('  1 to broker / the default exchange, key order.placed')
})

test('that the queue is missed in which it died, that none is reached, and that nobody knows, is said plainly', () => {
  expect(said({ channels: ['audit'] }).at(-1)).toBe('    and not orders, in which they died')
  expect(said({ channels: [] }).at(-1)).toBe('    which reaches no queue: they would be refused, and stay open')
  expect(said({ channels: [], doubt: 'Nobody could be asked.' }).at(-1)).toBe(
    '    which other queues it reaches is not known. Nobody could be asked.',
  )
})

test('names that would act on a terminal are written out', () => {
  expect(said({ channels: ['\u001b[31mred'] }).join()).not.toContain('\u001b')
})

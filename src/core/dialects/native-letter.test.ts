import { expect, it } from 'vitest'
import { draft, message } from './drafts.fixture.ts'
import { expiry, nativeLetter } from './native-letter.ts'

it('a message that stood for too long is dead for that, with what it had', () => {
  expect(expiry('orders', 5000, 42, { turns: 2, deliveries: 3 })).toEqual({
    reason: 'Expired',
    description: 'It stood in orders for longer than 5000 ms.',
    errorType: 'Expired',
    class: 'permanent',
    at: 42,
    attempts: 2,
    deliveries: 3,
  })
})

it('its letter is the message with the failure beside it', () => {
  const { origin } = draft()
  const died = message({ headers: [['tenant', 'acme']] })
  const letter = nativeLetter(died, expiry('orders', 5000, 42, { turns: 2, deliveries: 3 }), origin)
  expect({ ...letter, headers: [] }).toEqual({ ...died, headers: [] })
  expect(letter.headers).toEqual(
    expect.arrayContaining([
      ['tenant', 'acme'],
      ['redrive-reason', 'Expired'],
      ['redrive-description', 'It stood in orders for longer than 5000 ms.'],
      ['redrive-origin-channel', 'orders'],
    ]),
  )
})

import { expect, it } from 'vitest'
import { alertFacts, notification } from '../../../../src/core/alerts/notification.fixture.ts'
import { draftFrom } from './silence.model.ts'

it('the link in a notification fills the form in, for that very alert', () => {
  const fingerprint = 'f'.repeat(64)
  const told = notification({ dashboard: 'https://redrive.example', alerts: [alertFacts({ fingerprint })] })
  const { pathname, search } = new URL(told.alerts[0]?.silenceLink ?? '')
  expect(pathname).toBe('/alerts/silences')
  expect(draftFrom(search)?.matchers).toBe(`fingerprint=${fingerprint}`)
})

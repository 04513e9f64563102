import { expect, test } from 'vitest'
import { aShop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { itListens } from './then.ts'
import { openAs } from './when.ts'

inChromium((open) => {
  test('what somebody typed stays, and the page follows again, when once nobody could say who they are', async () => {
    const shop = await aShop()
    const { page, wrongs } = await openAs(open, shop, {}, '/nowhere')
    const badGateway = { status: 502, body: 'Bad Gateway' }
    const { promise: typed, resolve: isTyped } = Promise.withResolvers<void>()
    // Who they are is asked again when the stream of events is no stream.
    await page.route('**/api/v1/events', (route) => route.fulfill(badGateway))
    let asked = 0
    await page.route('**/api/v1/session', async (route) => {
      if (++asked === 1) return route.continue()
      await typed
      await page.unroute('**/api/v1/events')
      return route.fulfill(badGateway)
    })
    await page.goto('/letters')
    await page.getByText('Not live').first().waitFor()
    await page.getByLabel('Filter', { exact: true }).fill('reason:Half')
    isTyped()
    await itListens(page)
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).toBe('reason:Half')
    expect(await wrongs()).toEqual([])
  })
})

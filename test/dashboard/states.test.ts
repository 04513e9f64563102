import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aShopWithEverything, everyScreen } from './every-screen.ts'
import { aShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { watchShifts } from './shifts.ts'
import { theNumberIs, theNumberLooks } from './then.ts'
import { answered, openAs } from './when.ts'

/** What a page asks for besides who is signed in. */
const data = /\/api\/v1\/(?!session|events)/
const withData = everyScreen.filter(([path]) => path !== '/nowhere')

/** From now on nothing that is asked for is answered, until what this gives is called. */
async function holdAnswers(page: Page): Promise<() => void> {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  await page.route(data, async (route) => {
    await released
    await route.continue().catch(() => undefined)
  })
  return resolve
}

/** From now on nothing works until somebody clicks: a page that asks by itself before that does not take away what is to be clicked. */
async function failUntilAClick(page: Page, fail: (route: Route) => Promise<void>): Promise<void> {
  const noting = `addEventListener('click', () => { globalThis.hasClicked = true }, { capture: true })`
  await page.addInitScript(noting)
  await page.evaluate(noting)
  await page.route(data, async (route) => {
    const hasClicked = await page.evaluate<boolean>('globalThis.hasClicked === true').catch(() => false)
    await (hasClicked ? route.continue() : fail(route)).catch(() => undefined)
  })
}

const mainText = (page: Page): Promise<string> => page.locator('main').innerText()

inChromium((open) => {
  describe('a screen whose server', () => {
    let shop: Shop
    beforeAll(async () => {
      shop = await aShopWithEverything()
    })
    afterAll(() => shop?.close())

    test.each(withData)('is slow says so, and claims nothing meanwhile: %s', async (path, sign) => {
      const { page, wrongs } = await openAs(open, shop, { reveal: true }, '/nowhere')
      const release = await holdAnswers(page)
      await page.goto(path)
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      await expect.poll(() => mainText(page)).toMatch(/One moment…|Looking|Counting…|Fetching…/)
      expect(await mainText(page)).not.toMatch(/✓ (?!yes)|Nothing is|No (cause|letter|alert|source|consumer|token)/)
      expect(await page.getByTestId('the-number').count()).toBe(0)
      release()
      await page.getByText(sign).first().waitFor()
      expect(await wrongs()).toEqual([])
    })

    test.each(withData)(
      'is behind a gateway that cannot reach it says so, and comes back with one click: %s',
      async (path, sign) => {
        const { page } = await openAs(open, shop, { reveal: true }, '/nowhere')
        await failUntilAClick(page, (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
        await page.goto(path)
        await page.getByText('The server gave an answer that is none').first().waitFor()
        expect(await mainText(page)).not.toMatch(/✓ (?!yes)/)
        expect(await page.getByTestId('the-number').count()).toBe(0)
        await page.getByRole('button', { name: 'Try again' }).first().click()
        await page.getByText(sign).first().waitFor()
      },
    )

    test('goes away while somebody looks leaves what is known on the screen, and says that it may be old', async () => {
      const { page } = await openAs(open, shop, { reveal: true }, '/sources')
      await page.getByText('Every letter that was ever kept').waitFor()
      await failUntilAClick(page, (route) => route.abort('connectionrefused'))
      await page.getByText('The server does not answer').first().waitFor()
      await page.getByText('What is shown may be old.').first().waitFor()
      await page.getByText('Every letter that was ever kept').waitFor()
      await page.getByRole('button', { name: 'Try again' }).first().click()
      await page.getByText('The server does not answer').first().waitFor({ state: 'detached' })
    })

    test('is slow while a list is narrowed keeps the list, and nothing is moved that somebody did not move', async () => {
      const { page } = await openAs(open, shop, { role: 'operator' }, '/nowhere')
      await answered(page, '/', '2 causes, as of')
      const causes = page.getByRole('table', { name: 'Causes' }).getByRole('row')
      const shifts = await watchShifts(page)
      const release = await holdAnswers(page)
      const filter = page.getByLabel('Only causes with letters that match')
      await filter.fill('reason:BadAddress')
      await filter.press('Enter')
      await page.getByText('Looking for others…').waitFor()
      expect(await causes.count()).toBe(2)
      release()
      await causes.filter({ hasText: '1 match' }).waitFor()
      await page.getByText('1 cause, as of').waitFor()
      expect(await shifts()).toEqual([])
    })

    test('a piece that is moved on purpose is seen to have moved', async () => {
      const { page } = await openAs(open, shop, { role: 'operator' }, '/')
      await page.getByRole('table', { name: 'Causes' }).waitFor()
      const shifts = await watchShifts(page)
      await page.evaluate(`document.querySelector('h1').style.marginTop = '150px'`)
      await expect.poll(shifts).not.toEqual([])
    })
  })

  test('nothing is green after a look that failed, whatever the one before said', async () => {
    const shop = await aShop()
    const { page } = await openAs(open, shop, {}, '/')
    await page.getByText('✓ Nothing is broken').waitFor()
    await theNumberLooks(page, 'good')
    await failUntilAClick(page, (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
    await theNumberLooks(page, 'warn')
    await theNumberIs(page, 0)
    await page.getByText('? the last look failed').waitFor()
    expect(await page.getByText('✓').count()).toBe(0)
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await theNumberLooks(page, 'good')
  })

  test('an inbox without causes says nothing of sources that it knows nothing of', async () => {
    const shop = await aShop()
    const { page } = await openAs(open, shop, {}, '/nowhere')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/v1/sources', async (route) => {
      await released
      await route.fulfill({ status: 502, body: 'Bad Gateway' })
    })
    await page.goto('/')
    await page.getByText('0 causes, as of').waitFor()
    expect(await mainText(page)).not.toMatch(/No source is connected|✓/)
    release()
    await page.getByText('The server gave an answer that is none').first().waitFor()
    expect(await mainText(page)).not.toMatch(/No source is connected|✓/)
  })

  test('a letter that was not discarded is not said to be', async () => {
    const shop = await aShop()
    await shop.order(1, 'DE')
    await shop.untilOpen(1)
    const { page } = await openAs(open, shop, { role: 'operator' }, '/letters/1')
    await page.route('**/api/v1/letters/discard', (route) => route.fulfill({ json: { letters: 0 } }))
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('status').filter({ hasText: 'Letter 1 was not discarded: its state does not allow it.' }).waitFor()
  })

  test('with nothing in it every list says why it is empty, and what to do', async () => {
    const shop = await aShop()
    const { page, wrongs } = await openAs(open, shop, {})
    for (const [path, sign] of [
      ['/', '✓ Nothing is broken'],
      ['/letters?filter=', 'The vault is empty. Letters come here from the sources as they die.'],
      ['/replays', 'When a cause is mended, open it and choose “Replay all”'],
      ['/replay', 'each of these pages has a button “Replay”'],
      ['/alerts', '✓ No alert is open'],
      ['/alerts/silences', 'Before planned work, silence what it will set off'],
      ['/alerts/notifiers', 'Name mail, webhook, Slack'],
      ['/consumers', 'Give a consumer the option controlPlane'],
      ['/permissions', 'The command line and other programs come in with one'],
    ] as const) {
      await page.goto(path)
      await page.getByText(sign).waitFor()
    }
    expect(await wrongs()).toEqual([])
  })
})

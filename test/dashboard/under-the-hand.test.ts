import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { openAs } from './when.ts'

const refused = 'The carrier refuses our certificate'
const nowhere = 'Nobody brings parcels there'

/** One cause that somebody has on the screen, and reaches with j. */
async function aShopWithOneLetter(): Promise<Shop> {
  const shop = await aShop()
  await shop.order(1, 'DE')
  await shop.untilOpen(1)
  return shop
}

async function toTheFirstRow(page: Page): Promise<void> {
  await page.getByRole('row').first().waitFor()
  await page.keyboard.press('j')
  await page.locator('a:focus', { hasText: refused }).waitFor()
}

const judged = async (shop: Shop): Promise<readonly string[]> =>
  (await shop.audit()).filter((line) => /causes\.judge .* attempted/.test(line))

async function archived(shop: Shop): Promise<readonly string[]> {
  const { causes } = await shop.plane.causes.list({ limit: 10 })
  return causes.filter(({ state }) => state === 'archived').map(({ title }) => title)
}

const isOff = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled')

inChromium((open) => {
  describe('a key means what has the focus', () => {
    test('also when another cause came above it, and of causes it says which one it was', async () => {
      const shop = await aShopWithOneLetter()
      const { page, wrongs } = await openAs(open, shop, { role: 'operator' })
      await toTheFirstRow(page)
      await shop.order(2, 'XX')
      await page.getByText('1 new cause. Show').waitFor()
      await page.keyboard.press('n')
      await page.getByRole('row').first().filter({ hasText: nowhere }).waitFor()
      await page.locator('a:focus', { hasText: refused }).waitFor()
      await page.keyboard.press('a')
      await expect.poll(() => archived(shop)).toEqual([expect.stringContaining(refused)])
      await page
        .getByRole('status')
        .filter({ hasText: `Archived: PermanentError: ${refused}` })
        .waitFor()
      await page.getByRole('row').filter({ hasText: refused }).waitFor({ state: 'detached' })
      // What it meant is gone, and nothing took its place.
      await expect.poll(() => isOff(page, 'Archive')).toBe('true')
      expect(await wrongs()).toEqual([])
    })

    test('once, however long it is held', async () => {
      const shop = await aShopWithOneLetter()
      const { page } = await openAs(open, shop, { role: 'operator' })
      await toTheFirstRow(page)
      for (let held = 0; held < 5; held++) await page.keyboard.down('a')
      await page.keyboard.up('a')
      await page.getByRole('row').filter({ hasText: refused }).waitFor({ state: 'detached' })
      await page.getByText('✓ Nothing is broken').waitFor()
      expect(await judged(shop)).toHaveLength(1)
    })

    test('wherever the tabulator brought it', async () => {
      const shop = await aShopWithOneLetter()
      await shop.order(2, 'XX')
      await shop.untilOpen(2)
      const { page } = await openAs(open, shop, { role: 'operator' })
      await toTheFirstRowOf(page, nowhere)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.locator('a:focus', { hasText: refused }).waitFor()
      await page.keyboard.press('a')
      await expect.poll(() => archived(shop)).toEqual([expect.stringContaining(refused)])
    })

    test('and no other letter when its list was fetched anew', async () => {
      const shop = await aShopWithOneLetter()
      const { page } = await openAs(open, shop, { reveal: true }, '/letters')
      await toTheFirstRow(page)
      await shop.order(2, 'XX')
      await page.getByText('1 letter came or changed. Show').waitFor()
      await page.keyboard.press('n')
      await page.getByRole('row').first().filter({ hasText: nowhere }).waitFor()
      await expect.poll(() => isOff(page, 'Discard…')).toBe('true')
    })
  })

  describe('all letters that match', () => {
    test('are those that were counted when somebody was asked, and none that came since', async () => {
      const shop = await aShopWithOneLetter()
      const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, '/letters')
      await page.getByLabel('Select all 1 that match').check()
      await page.getByRole('button', { name: 'Discard…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Discard all 1 letters that match?' })
      await dialog.waitFor()
      await shop.order(2, 'XX')
      await shop.untilOpen(2)
      await page.getByText('Select all 2 that match').waitFor()
      await dialog.waitFor()
      await dialog.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('status').filter({ hasText: '1 letter discarded.' }).waitFor()
      await shop.untilOpen(1)
      expect(await wrongs()).toEqual([])
    })

    test('are restored only after a question', async () => {
      const shop = await aShopWithOneLetter()
      await shop.plane.letters.discard({ filter: 'state:open' }, { actor: 'ana' })
      const { page } = await openAs(open, shop, { role: 'operator' }, '/letters?filter=state:discarded')
      await page.getByLabel('Select all 1 that match').check()
      await page.getByRole('button', { name: 'Restore' }).click()
      const dialog = page.getByRole('dialog', { name: 'Restore all 1 letters that match?' })
      await dialog.getByRole('button', { name: 'Restore' }).click()
      await page.getByRole('status').filter({ hasText: '1 letter restored.' }).waitFor()
    })

    test.each([
      ['/letters', /Select all/],
      ['/', /Take all/],
    ])('are not meant any more once single rows are ticked: %s', async (path, all) => {
      const shop = await aShopWithOneLetter()
      const { page } = await openAs(open, shop, { role: 'operator' }, path)
      await page.getByLabel(all).check()
      await page.getByRole('checkbox', { name: /^Select (letter|cause) 1$/ }).check()
      expect(await page.getByLabel(all).isChecked()).toBe(false)
      await page.getByLabel(all).check()
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await expect.poll(() => page.getByLabel(all).isChecked()).toBe(false)
    })
  })

  describe('a plan of a replay', () => {
    test('that is not the one which was asked for cannot be sealed, and Enter leads to the button that says so', async () => {
      const shop = await aShopWithOneLetter()
      const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, '/replay?filter=state:open')
      await page.getByText('1 letter.').waitFor()
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/api/v1/replays/preview', async (route) => {
        await released
        await route.continue()
      })
      await page.getByText('Send them elsewhere').click()
      await page.getByLabel('Channel').fill('elsewhere')
      await page.keyboard.press('Enter')
      await expect.poll(() => isOff(page, 'Seal and start')).toBe('true')
      await expect.poll(() => isOff(page, 'Seal only')).toBe('true')
      await page.getByPlaceholder('After the fix of the certificate').press('Enter')
      await page.locator('button:focus', { hasText: 'Seal and start' }).waitFor()
      await page.getByRole('tooltip').filter({ hasText: 'The plan is being made anew.' }).first().waitFor()
      release()
      await expect.poll(() => isOff(page, 'Seal and start')).toBeNull()
      expect(await shop.plane.replays.list({ limit: 10 })).toEqual([])
      // Still there, for another Enter, now that the plan can be seen.
      await page.locator('button:focus', { hasText: 'Seal and start' }).waitFor()
      await page.keyboard.press('Enter')
      await expect.poll(async () => (await shop.plane.replays.list({ limit: 10 })).length).toBe(1)
      expect(await wrongs()).toEqual([])
    })

    test('stays as it is when only its limits change: whoever types one and goes on is not held up', async () => {
      const shop = await aShopWithOneLetter()
      const { page } = await openAs(open, shop, { role: 'operator' }, '/replay?filter=state:open')
      await page.getByText('1 letter.').waitFor()
      await page.route('**/api/v1/replays/preview', (route) => route.abort())
      await page.getByLabel('Letters a second').fill('7')
      await page.getByPlaceholder('After the fix of the certificate').press('Enter')
      await expect.poll(async () => (await shop.plane.replays.list({ limit: 10 })).map(({ plan }) => plan.rate)).toEqual([7])
    })

    test('that was sealed and could not be started is shown sealed, with the refusal, and not sealed twice', async () => {
      const shop = await aShopWithOneLetter()
      const { page } = await openAs(open, shop, { role: 'operator' }, '/replay?filter=state:open')
      await page.getByText('1 letter.').waitFor()
      const detail = 'A second person has to start it.'
      await page.route('**/api/v1/replays/*/start', (route) =>
        route.fulfill({ status: 403, json: { status: 403, code: 'not-allowed', title: 'Not allowed', detail } }),
      )
      await page.getByRole('button', { name: 'Seal and start' }).click()
      await page.getByText('Nothing is sent before it is started.').waitFor()
      expect(new URL(page.url()).pathname).toBe('/replays/1')
      await page.getByRole('alert').filter({ hasText: detail }).waitFor()
      await page.unroute('**/api/v1/replays/*/start')
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.getByText(detail).waitFor({ state: 'detached' })
      expect(await shop.plane.replays.list({ limit: 10 })).toHaveLength(1)
    })
  })

  test('the buttons of a replay that start it and that pause it keep their places, whatever it does', async () => {
    const shop = await aShopWithOneLetter()
    shop.repair()
    const { replay } = await shop.plane.replays.seal(
      { filter: 'state:open' },
      { name: 'slowly', actor: 'ana', rate: 1, canary: undefined, observe: 3_600_000 },
    )
    const { page } = await openAs(open, shop, { role: 'operator' }, `/replays/${replay.id}`)
    const start = page.getByRole('button', { name: /^(Start|Resume)$/ })
    const pause = page.getByRole('button', { name: 'Pause', exact: true })
    await start.waitFor()
    const places = async () => [await start.boundingBox(), await pause.boundingBox()]
    const sealed = await places()
    expect(await isOff(page, 'Pause')).toBe('true')
    // The second click of a double click finds nothing that it could do.
    await start.dblclick()
    await expect.poll(() => isOff(page, 'Pause')).toBeNull()
    expect(await places()).toEqual(sealed)
    expect((await shop.audit()).filter((line) => line.includes('replays.pause'))).toEqual([])
    await pause.dblclick()
    await page.getByText('Paused: nothing more is sent').waitFor()
    expect(await places()).toEqual(sealed)
    expect((await shop.audit()).filter((line) => line.includes('replays.resume'))).toEqual([])
  })
})

async function toTheFirstRowOf(page: Page, text: string): Promise<void> {
  await page.getByRole('row').first().filter({ hasText: text }).waitFor()
  await page.keyboard.press('j')
  await page.locator('a:focus', { hasText: text }).waitFor()
}

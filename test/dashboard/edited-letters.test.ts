import { describe, expect, test } from 'vitest'
import { aShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { openAs } from './when.ts'

const filter = '/replay?filter=state:open'

/** Order 1 died, and somebody made order 99 of it; order 2 died as well. */
async function aShopWithAnEdit(): Promise<Shop> {
  const shop = await aShop({ reports: true })
  for (const order of [1, 2]) await shop.order(order, 'DE')
  await shop.untilOpen(2)
  const body = new TextEncoder().encode('{"order":99,"country":"AT","card":"none"}')
  await shop.plane.letters.edit(1, { actor: 'ana', body })
  shop.repair()
  return shop
}

inChromium((open) => {
  describe('a letter that was edited', () => {
    test('goes as edited in a replay of all that match, which says so before', async () => {
      const shop = await aShopWithAnEdit()
      const { page, wrongs } = await openAs(open, shop, { role: 'editor' }, filter)
      await page.getByText('1 letter of these was edited, and goes as edited last.').waitFor()
      await page.getByRole('button', { name: 'Seal and start' }).click()
      await expect.poll(() => shop.shipped.toSorted((one, other) => one - other)).toEqual([2, 99])
      expect(await wrongs()).toEqual([])
    })

    test('goes as it died where somebody wants the originals', async () => {
      const shop = await aShopWithAnEdit()
      const { page } = await openAs(open, shop, { role: 'editor' }, filter)
      await page.getByLabel('Send the originals').check()
      await page.getByText('--originals').waitFor()
      await page.getByRole('button', { name: 'Seal and start' }).click()
      await expect.poll(() => shop.shipped.toSorted((one, other) => one - other)).toEqual([1, 2])
    })

    test('goes as it died by who may not send edits, and they are told before', async () => {
      const shop = await aShopWithAnEdit()
      const { page } = await openAs(open, shop, { role: 'operator' }, filter)
      await page.getByText('1 letter of these was edited, and would go as it died').waitFor()
      await page.getByText('Needs the right letters:edit').waitFor()
      await page.getByRole('button', { name: 'Seal and start' }).click()
      await expect.poll(() => shop.shipped.toSorted((one, other) => one - other)).toEqual([1, 2])
    })
  })
})

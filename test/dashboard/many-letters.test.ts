import { expect, test } from 'vitest'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { aShop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { openAs } from './when.ts'

const many = 2000

inChromium((open) => {
  test('a long list is fetched page by page as one scrolls, and only what is in sight is drawn', async () => {
    const shop = await aShop()
    const source = await sourceIn(shop.vault)
    for (let start = 0; start < many; start += 500) {
      const letters = Array.from({ length: 500 }, (_, at) =>
        deadLetter({ n: start + at, error: `declined at till ${start + at}` }),
      )
      await keep(shop.vault, source, letters)
    }
    const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, '/letters?filter=state:open')
    const pages: string[] = []
    page.on('request', (request) => /\/letters\?.*cursor=/.test(request.url()) && pages.push(request.url()))
    const rows = page.getByRole('table', { name: 'Letters' }).getByRole('row')
    await rows.first().waitFor()
    await page.getByText('200 letters so far').waitFor()

    // The page is one selection, the filter another, and both counts are said.
    await page.getByText('Select the 200 shown').waitFor()
    await page.getByLabel(/Select all 2,000 that match/).check()
    await page.getByRole('button', { name: 'Replay 2,000' }).waitFor()

    for (let seen = 200; seen < many; seen += 200) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      await page
        .getByText(`${(seen + 200).toLocaleString('en')} letters`, { exact: false })
        .first()
        .waitFor()
      expect(await rows.count()).toBeLessThan(60)
    }
    expect(pages).toHaveLength(many / 200 - 1)
    expect(await wrongs()).toEqual([])

    // Letters that come meanwhile wait until somebody wants them.
    await shop.order(1, 'DE')
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('button', { name: /came or changed. Show/ }).click()
    await rows.first().filter({ hasText: 'The carrier refuses our certificate' }).waitFor()
  })
})

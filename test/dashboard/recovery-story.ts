import { expect } from 'vitest'
import { cardOf, type Shop } from './given.ts'
import type { OpenPage, WatchedPage } from './in-chromium.ts'
import { theNumberIs, theNumberLooks, theReplayCounts } from './then.ts'
import { goTo, setPasswordByLink, signIn, writeOver } from './when.ts'

/** What the dashboard is for: a newcomer comes in by the link, sees red, looks, reveals, edits, compares, replays with a canary, and sees green. */
export async function recover(open: OpenPage, shop: Shop): Promise<WatchedPage> {
  for (const order of [1, 2, 3, 4, 5, 6]) await shop.order(order, 'DE')
  await shop.order(7, 'XX')
  await shop.untilOpen(7)
  const watched = await open(shop.address)
  const { page, wrongs } = watched

  // Comes in by the one-time link, which is gone from the address at once.
  await setPasswordByLink(page, shop.firstLink)
  expect(page.url()).toBe(`${shop.address}/`)
  await theNumberIs(page, 7)
  await theNumberLooks(page, 'bad')
  await expect.poll(() => page.title()).toBe('(7) Redrive')

  // Nobody sees payloads as they are without having been given the right, the first admin neither.
  await goTo(page, 'People')
  await page.getByRole('button', { name: 'Change… admin' }).click()
  await page.getByLabel('May see payloads as they are').check()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await signIn(page, 'admin')

  // The cause, and a letter of it, masked.
  await goTo(page, 'Inbox')
  await page.getByRole('link', { name: 'Nobody brings parcels there' }).click()
  await page.getByRole('table', { name: 'Letters' }).getByRole('link').first().click()
  await page.getByTestId('body').waitFor()
  expect(await page.getByTestId('body').textContent()).not.toContain(cardOf(7))
  await page.getByRole('button', { name: 'Reveal' }).click()
  await page
    .getByTestId('body')
    .filter({ hasText: cardOf(7) })
    .waitFor()
  expect(await shop.audit()).toContainEqual(expect.stringMatching(/^admin payload.read \/letters\/\d+\/content done$/))

  // Edited, compared and sent.
  await page.getByRole('button', { name: 'Edit and replay' }).click()
  await page.getByRole('button', { name: 'Reveal and edit' }).click()
  const body = page.getByLabel('Body')
  await writeOver(body, (await body.innerText()).replace('XX', 'DE'))
  await page.getByTestId('diff').getByText('"country": "DE"').waitFor()
  shop.repair()
  await page.getByRole('button', { name: 'Keep the edit' }).click()
  await page.getByLabel('Watched for').fill('1')
  await page.getByRole('button', { name: 'Seal and start' }).click()
  await page.getByText('All 1 are through.').waitFor()
  // Where no consumer reports, a letter is through when it did not come back in time, shipped or not.
  await expect.poll(() => shop.shipped).toEqual([7])
  await theNumberIs(page, 6)

  // The rest by its cause, one letter first.
  await goTo(page, 'Inbox')
  await page.getByRole('link', { name: 'The carrier refuses our certificate' }).click()
  await page.getByRole('button', { name: 'Replay all' }).click()
  await page.getByText('6 letters: first 1, then 5, then 6.').waitFor()
  await page.getByLabel('Name').fill('after the fix')
  await page.getByLabel('Watched for').fill('1')
  await page.getByRole('button', { name: 'Seal and start' }).click()
  await page.getByText('All 6 are through.').waitFor()
  await theReplayCounts(page, 'returned', 0)
  await expect.poll(() => shop.shipped.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7])

  // Green, without a reload.
  await theNumberIs(page, 0)
  await theNumberLooks(page, 'good')
  await expect.poll(() => page.title()).toBe('Redrive')
  expect(await wrongs()).toEqual([])
  return watched
}

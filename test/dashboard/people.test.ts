import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/server/secrets.ts'
import { aShop, cardOf } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { openAs, setPasswordByLink } from './when.ts'

inChromium((open) => {
  describe('a viewer', () => {
    test('sees that there are letters and nothing of what they hold, and is told why each button is off', async () => {
      const shop = await aShop()
      await shop.order(1, 'DE')
      await shop.untilOpen(1)
      const { page, wrongs } = await openAs(open, shop, { role: 'viewer', name: 'vera' }, '/letters/1')
      await page.getByText('You may not see payloads').waitFor()
      for (const name of ['Replay…', 'Edit and replay…', 'Discard', 'Reveal', 'Add']) {
        const button = page.getByRole('button', { name, exact: true })
        expect(await button.getAttribute('aria-disabled'), name).toBe('true')
        const reason = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`)
        expect(await reason.textContent(), name).toMatch(/Needs the right (letters|payload|replays):\w+/)
        // It does nothing, instead of failing after the click.
        await button.click({ force: true })
      }
      expect(page.url()).toBe(`${shop.address}/letters/1`)
      expect(await page.content()).not.toContain(cardOf(1))
      expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
      expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0)
      await page.goto('/audit')
      await page.getByText('You may not read the audit trail').waitFor()
      // What the page does not offer, the server refuses.
      const status = await page.evaluate(`fetch('/api/v1/letters/1/content?reveal=true').then(({ status }) => status)`)
      expect(status).toBe(403)
      expect(await shop.audit()).toContain('vera payload.read /letters/1/content denied')
      expect(await wrongs()).toEqual([])
    })

    test('finds on a page of its own what they may and whom to ask for the rest', async () => {
      const shop = await aShop()
      const { page } = await openAs(open, shop, { role: 'viewer' }, '/permissions')
      const may = page.getByRole('row', { name: /metadata:read/ })
      const mayNot = page.getByRole('row', { name: /letters:discard/ })
      expect(await may.textContent()).toContain('✓ yes')
      expect(await mayNot.textContent()).toMatch(/✕ no.*operator, editor, admin/)
    })
  })

  test('an admin makes somebody with a link that works once, who comes in by it', async () => {
    const shop = await aShop()
    const { page: admins } = await openAs(open, shop, { role: 'admin', name: 'ana' }, '/people')
    await admins.getByRole('button', { name: 'New person' }).click()
    await admins.getByLabel('Name').fill('otto')
    await admins.getByLabel('Role').selectOption('operator')
    await admins.getByRole('button', { name: 'Make and get the link' }).click()
    const link = (await admins.getByTestId('secret').textContent()) ?? ''
    const { page: theirs } = await open(shop.address)
    await setPasswordByLink(theirs, link)
    await theirs.getByText('otto, operator').waitFor()
    const { page: thief } = await open(shop.address)
    await thief.goto(link)
    const fields = thief.locator('input[type="password"]')
    await fields.first().waitFor()
    for (const field of await fields.all()) await field.fill('another password')
    await thief.getByRole('button', { name: 'Set the password' }).click()
    await thief.getByRole('alert').filter({ hasText: 'not valid' }).waitFor()
  })

  test('whoever is signed out elsewhere is asked to sign in again, at the address where they were', async () => {
    const shop = await aShop()
    const { page } = await openAs(open, shop, { name: 'ana', role: 'operator' }, '/sources')
    const [cookie] = await page.context().cookies()
    await shop.vault.write('endSession', { hash: fingerprintOf(cookie?.value ?? '') })
    // The page asks for its sources again by itself. A click could come too late: then there is nothing left to click on.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(page.url()).toBe(`${shop.address}/sources`)
  })
})

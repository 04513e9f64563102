import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type RealIssuer, realIssuer } from '../oidc/real-issuer.ts'
import { aShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'

async function aShopWithIssuer(takesPasswords = true): Promise<{ readonly shop: Shop; readonly issuer: RealIssuer }> {
  const issuer = await realIssuer({
    people: {
      'sub-ana': { preferred_username: 'ana', groups: ['payments'] },
      'sub-boss': { preferred_username: 'boss', groups: ['redrive-admins'] },
      'sub-guest': { preferred_username: 'guest', groups: ['guests'] },
    },
  })
  const shop = await aShop({ login: { oidc: issuer.login, takesPasswords } })
  issuer.registerClient([shop.address])
  return { shop, issuer }
}

/** The button, and the forms of the issuer. */
async function signInAs(page: Page, subject: string): Promise<void> {
  await page.getByRole('button', { name: 'Company login' }).click()
  await page.locator('input[name="login"]').fill(subject)
  await page.locator('input[name="password"]').fill('any')
  await page.locator('button[type="submit"]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

inChromium((open) => {
  test('somebody signs in with the issuer, comes to where they wanted to go, and signs out there too', async () => {
    const { shop, issuer } = await aShopWithIssuer()
    const { page, wrongs } = await open(shop.address)
    await page.goto('/letters?filter=state%3Adiscarded')
    await signInAs(page, 'sub-ana')
    await page.getByText('oidc:ana, operator').waitFor()
    expect(page.url()).toBe(`${shop.address}/letters?filter=state%3Adiscarded`)
    expect(await wrongs()).toEqual([])
    await page.goto('/permissions')
    await page.getByText(`You sign in with ${issuer.login.issuer}`).waitFor()
    expect(await page.locator('input[type="password"]').count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /sign me out/i }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(page.url()).toBe(`${shop.address}/`)
    expect(await shop.audit()).toEqual([
      ...[
        'oidc:ana session.begin /session done',
        'oidc:ana session.end /session attempted',
        'oidc:ana session.end /session done',
      ],
    ])
  })

  test('who may not come in is told why, and finds the way back', async () => {
    const { shop } = await aShopWithIssuer()
    const { page, wrongs } = await open(shop.address)
    await page.goto('/')
    await signInAs(page, 'sub-guest')
    await page.getByRole('alert').filter({ hasText: 'none of your groups may come in here' }).waitFor()
    expect(await wrongs()).toEqual([])
    await page.getByRole('link', { name: 'Back to signing in' }).click()
    await page.getByRole('button', { name: 'Company login' }).waitFor()
  })

  test('without passwords there is the button alone, and an issuer that does not answer is told in words', async () => {
    const { shop, issuer } = await aShopWithIssuer(false)
    await issuer.close()
    const { page } = await open(shop.address)
    await page.goto('/')
    await page.getByRole('button', { name: 'Company login' }).click()
    await page.getByRole('alert').filter({ hasText: 'The issuer does not answer' }).waitFor()
    expect(await page.locator('input').count()).toBe(0)
  })

  test('an admin sees who comes from where, gives them no link, and keeps them out', async () => {
    const { shop, issuer } = await aShopWithIssuer()
    const { page: theirs } = await open(shop.address)
    await theirs.goto('/')
    await signInAs(theirs, 'sub-ana')
    await theirs.getByText('oidc:ana, operator').waitFor()
    const { page } = await open(shop.address)
    await page.goto('/people')
    await signInAs(page, 'sub-boss')
    const row = page.getByRole('row', { name: /oidc:ana/ })
    await row.getByText(`signs in with ${issuer.login.issuer}`).waitFor()
    expect(await row.getByRole('button', { name: /New link/ }).count()).toBe(0)
    await row.getByRole('button', { name: /Change/ }).click()
    await page.getByText('What they may do comes from their groups').waitFor()
    await page.getByLabel('Disabled').check()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await row.getByText('✕ disabled').waitFor()
    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

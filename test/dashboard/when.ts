import type { Page } from 'playwright-core'
import type { Shop } from './given.ts'
import type { OpenPage, WatchedPage } from './in-chromium.ts'

export const password = 'correct horse battery staple'

/** What operators do. */
export async function setPasswordByLink(page: Page, link: string): Promise<void> {
  await page.goto(link)
  const fields = page.locator('input[type="password"]')
  await fields.first().waitFor()
  for (const field of await fields.all()) await field.fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
}

export async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** Opens a page as somebody who is signed in already. */
export async function openAs(
  open: OpenPage,
  shop: Shop,
  grant: Parameters<Shop['person']>[0],
  path = '/',
  look?: Parameters<OpenPage>[1],
): Promise<WatchedPage> {
  const { secret } = await shop.person(grant)
  const watched = await open(shop.address, look)
  await watched.page
    .context()
    .addCookies([{ name: 'redrive', value: secret, url: shop.address, httpOnly: true, sameSite: 'Strict' }])
  await watched.page.goto(path)
  await watched.page.getByRole('navigation', { name: 'Main' }).waitFor()
  return watched
}

export async function goTo(page: Page, place: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click()
  await page.getByRole('heading', { name: place, level: 1 }).waitFor()
}

const farthest = 150

/** Presses the tabulator until what has the focus bears this name, as whoever has no mouse does. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < farthest; presses++) {
    await page.keyboard.press('Tab')
    const reached = await page.evaluate<string>(nameOfFocus)
    if (reached === name || reached.startsWith(`${name} (`)) return
    passed.push(reached)
  }
  throw new Error(`The tabulator does not come to ${name}, only to ${[...new Set(passed)].join(', ')}.`)
}

/** Runs in the page: what the element with the focus is called, within editors too. */
const nameOfFocus = `(() => {
  let focused = document.activeElement
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  const label = focused?.labels?.[0]
  const text = focused?.getAttribute('aria-label') ?? label?.querySelector('span')?.textContent ?? label?.textContent ?? focused?.textContent ?? ''
  return text.replace(/\\s+/g, ' ').trim()
})()`

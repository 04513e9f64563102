import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Shop } from './given.ts'
import { type OpenPage, patience, type WatchedPage } from './in-chromium.ts'

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

/** Goes to a page and waits until everything that it asked for has been answered, and what it asks for because of an answer too. */
export async function answered(page: Page, path: string, sign: string): Promise<void> {
  const asked = new Set<unknown>()
  page.on('request', (request) => /\/api\/v1\/(?!events)/.test(request.url()) && asked.add(request))
  page.on('requestfinished', (request) => asked.delete(request))
  page.on('requestfailed', (request) => asked.delete(request))
  await page.goto(path)
  await page.getByText(sign).first().waitFor()
  const waiting = async (): Promise<number> => {
    await page.evaluate(twoFrames)
    // On a busy machine we hear late of a request, and the page draws late what it was answered: but it says so meanwhile.
    return asked.size + (await page.getByText('One moment…').count())
  }
  await expect.poll(waiting).toBe(0)
}

/** Runs in the page: afterwards what was answered is drawn, and what follows from it has been asked for. */
const twoFrames = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))'

/**
 * Writes over all that an editor holds, like somebody who empties it and sees that it is empty before typing: an editor hears of a selection a moment
 * after it was made, and what it draws within that moment takes the selection back.
 */
export async function writeOver(editor: Locator, text: string): Promise<void> {
  const lines = editor.locator('.cm-line')
  const leftOver = async (): Promise<string> => {
    await editor.press('ControlOrMeta+a')
    await editor.press('Delete')
    return (await lines.allInnerTexts()).join('').trim()
  }
  await expect.poll(leftOver).toBe('')
  await editor.page().keyboard.insertText(text)
}

/** Presses the tabulator until what has the focus bears this name, as whoever has no mouse does: also when it is drawn only later. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed = new Set<string>()
  const deadline = performance.now() + patience / 4
  while (performance.now() < deadline) {
    await page.keyboard.press('Tab')
    const reached = await page.evaluate<string>(nameOfFocus)
    if (reached === name || reached.startsWith(`${name} (`)) return
    passed.add(reached)
  }
  throw new Error(`The tabulator does not come to ${name}, only to ${[...passed].join(', ')}.`)
}

/** Runs in the page: what the element with the focus is called, within editors too. */
const nameOfFocus = `(() => {
  let focused = document.activeElement
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  const label = focused?.labels?.[0]
  const text = focused?.getAttribute('aria-label') ?? label?.querySelector('span')?.textContent ?? label?.textContent ?? focused?.textContent ?? ''
  return text.replace(/\\s+/g, ' ').trim()
})()`

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { findChromium, startChromium } from '../../scripts/brokers/chromium.ts'
import { buildWeb } from '../../scripts/build-web.ts'
import { noteNotRun, onlyListing } from '../brokers/broker-for-tests.ts'

/** A browser, a server, threads and durable writes: a busy machine is slow at all of them, and no test here is about time. */
export const patience = 240_000

/** A page that is watched: what its policy had to stop, what it complained about, and whether anything in it ran that must not. */
export interface WatchedPage {
  readonly page: Page
  /** Everything that is wrong so far. */
  wrongs(): Promise<readonly string[]>
}

export type OpenPage = (
  address: string,
  look?: { readonly theme?: 'light' | 'dark'; readonly width?: number },
) => Promise<WatchedPage>

/** Declares tests in a real browser. Where there is none, a CI run fails, and a person's machine notes that they did not run. */
export function inChromium(declare: (open: OpenPage) => void): void {
  if (!onlyListing && !findChromium() && !process.env['CI']) {
    const { notRun } = noteNotRun('NOT RUN: the dashboard in Chromium. Get it with: npm run brokers -- install chromium')
    test(notRun, () => expect(process.env['CI']).toBeFalsy())
    return
  }
  vi.setConfig({ testTimeout: patience, hookTimeout: patience })
  let browser: Browser
  beforeAll(async () => {
    await buildWeb()
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  declare((address, look) => openPage(browser, address, look))
}

async function openPage(
  browser: Browser,
  address: string,
  { theme = 'light', width = 1280 }: Parameters<OpenPage>[1] = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: address, colorScheme: theme, viewport: { width, height: 900 } })
  context.setDefaultTimeout(patience / 2)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await context.addInitScript({ content: watch })
  const page = await context.newPage()
  onTestFinished(async ({ task }) => {
    for (const error of task.result?.errors ?? []) error.stack = error.message = `${error.stack}\n${await seenOn(page)}`
    await context.close()
  })
  const told: string[] = []
  page.on('pageerror', (error) => told.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    told.push(`a script ran: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text())) told.push(message.text())
  })
  return {
    page,
    async wrongs() {
      const stopped = await page.evaluate(() => (globalThis as unknown as { stopped?: string[] }).stopped ?? [])
      return [...told, ...stopped]
    },
  }
}

/** What somebody who waits in vain would see. */
async function seenOn(page: Page): Promise<string> {
  const text = await page.locator('main').innerText({ timeout: 1000 }).catch(String)
  const focus = await page.evaluate<string>('document.activeElement?.outerHTML.slice(0, 200)').catch(String)
  return `The page was ${page.url()}, its focus ${focus}: ${text.replaceAll('\n', ' ').slice(0, 600)}`
}

/** Runs in the page before anything else does. */
const watch = `
  globalThis.stopped = []
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    stopped.push('the policy stopped ' + violatedDirective + ' ' + blockedURI)
  })
`

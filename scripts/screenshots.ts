import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { startProgram } from '../test/program.ts'
import { startChromium } from './brokers/chromium.ts'
import { buildWeb } from './build-web.ts'

/**
 * A picture of every screen, light and dark, from the demo as anybody can start it. `--into FOLDER` puts them elsewhere; `--wide W` takes another
 * width than 1280.
 */
const folder = option('--into') ?? 'docs/screenshots'
const width = Number(option('--wide') ?? 1280)
const password = 'correct horse battery staple'

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

await buildWeb(console.log)
const begun = Date.now()
mkdirSync(folder, { recursive: true })
const data = mkdtempSync(join(tmpdir(), 'redrive-screenshots-'))
const demo = startProgram(resolve('src/cli/redrive.ts'), ['up', '--demo'], {
  cwd: data,
  env: { REDRIVE_PORT: '0', REDRIVE_DATA: data },
})
try {
  await demo.shows('This is the demo')
  const [, address = ''] = /up at (http:\/\/[\d.:]+)/.exec(demo.output()) ?? []
  const [, link = ''] = /(\/setup\?\S+)/.exec(demo.output()) ?? []
  const browser = await startChromium()
  const page = await browser.newPage({ baseURL: address, viewport: { width, height: 800 } })
  await tour(page, link)
  await browser.close()
} finally {
  demo.child.kill('SIGINT')
  await demo.exit
  rmSync(data, { recursive: true, force: true })
}

/** As a newcomer goes through it, with a picture at each stop. */
async function tour(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await shoot(page, 'set-password')
  for (const field of await page.locator('input[type="password"]').all()) await field.fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByRole('link', { name: 'Go to the dashboard' }).click()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  await allowReveal(page)
  await page.getByRole('row').nth(3).waitFor()
  await shoot(page, 'inbox')
  await page.getByRole('link', { name: /certificate/ }).click()
  await page.getByRole('heading', { name: 'What they have in common' }).waitFor()
  await shoot(page, 'cause')
  await page
    .getByRole('link', { name: /certificate/ })
    .first()
    .click()
  await page.getByTestId('body').waitFor()
  await shoot(page, 'letter')
  await page.getByRole('button', { name: 'Edit and replay' }).click()
  await page.getByRole('button', { name: 'Reveal and edit' }).click()
  const body = page.getByLabel('Body')
  await body.fill((await body.innerText()).replace('"EUR"', '"USD"'))
  await page.getByTestId('diff').waitFor()
  await shoot(page, 'edit')
  await page.goBack()
  await page.getByRole('link', { name: 'its cause' }).click()
  await page.getByRole('button', { name: 'Replay all' }).click()
  await page.getByLabel('Name').fill('After the fix of the certificate')
  await page.getByLabel('Watched for').fill('30')
  await page.getByText('first 1, then').waitFor()
  await shoot(page, 'replay-plan')
  // The acquirer of the demo is repaired after a while.
  await page.waitForTimeout(Math.max(0, begun + 50_000 - Date.now()))
  await page.getByRole('button', { name: 'Seal and start' }).click()
  await page
    .locator('[data-state="succeeded"] strong')
    .filter({ hasText: /^[1-9]/ })
    .waitFor()
  await shoot(page, 'replay')
  await visit(page, 'Overview', 'overview', 'a bar of full height')
  await visit(page, 'Letters', 'letters')
  await visit(page, 'Replays', 'replays')
  await visit(page, 'Alerts', 'alerts')
  await aSilence(page)
  await visit(page, 'Silences', 'silences', 'load test')
  await visit(page, 'Rules', 'rules')
  await visit(page, 'Notifiers', 'notifiers')
  await visit(page, 'Sources', 'sources')
  await visit(page, 'Consumers', 'consumers')
  await visit(page, 'Audit', 'audit')
  await visit(page, 'People', 'people')
  await visit(page, 'Your permissions', 'permissions')
  await page.keyboard.press('Control+k')
  await shoot(page, 'commands')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await shoot(page, 'sign-in')
}

/** The first admin may not see payloads as they are until somebody says so. */
async function allowReveal(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('button', { name: 'Change… admin' }).click()
  await page.getByLabel('May see payloads as they are').check()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByLabel('Name').fill('admin')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Inbox' }).click()
}

/** So that there is one to be seen. */
async function aSilence(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Silence…/ })
    .first()
    .click()
  await page.getByLabel('Why').fill('load test until noon')
  await page.getByRole('button', { name: 'Silence', exact: true }).click()
  await page.getByText('load test until noon').waitFor()
}

async function visit(page: Page, name: string, file: string, sign = name): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await page.getByText(sign).last().waitFor()
  await shoot(page, file)
}

async function shoot(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) })
  }
  console.log(name)
}

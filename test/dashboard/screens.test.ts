import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aShopWithEverything, everyScreen } from './every-screen.ts'
import type { Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { openAs, writeOver } from './when.ts'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What an accessibility checker finds on the page, by the rules of WCAG 2.2 A and AA and its own best practice. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as readonly Violation[]
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

/** What opens on a screen, and what tells that it is open. */
const opened: readonly (readonly [path: string, sign: string, open: (page: Page) => Promise<void>])[] = [
  ['/', 'Go to Inbox', (page) => page.keyboard.press('Control+k')],
  ['/', 'Keys on this page', (page) => page.keyboard.press('?')],
  ['/letters', 'Nothing is sent.', (page) => discardTheFirst(page)],
  ['/causes/1', 'This is fixed', (page) => page.getByRole('button', { name: 'Fixed…' }).click()],
  ['/causes/1', 'Another cause is this one', (page) => page.getByRole('button', { name: 'Merge…' }).click()],
  ['/causes/1', 'Some of these letters are another cause', (page) => page.getByRole('button', { name: 'Split…' }).click()],
  ['/letters/1/edit', 'must be integer', (page) => breakTheSchema(page)],
  ['/replay?letters=1', 'Show that plan', (page) => page.getByText('Send them elsewhere').click()],
  ['/alerts/silences', 'Which alerts', (page) => page.getByRole('button', { name: 'New silence…' }).click()],
  ['/alerts/rules', 'How far back', (page) => page.getByRole('button', { name: 'Try… dlq.any' }).click()],
  ['/people', 'May see payloads', (page) => page.getByRole('button', { name: 'New person…' }).click()],
  ['/permissions', 'Good for', (page) => page.getByRole('button', { name: 'New token…' }).click()],
]

async function discardTheFirst(page: Page): Promise<void> {
  await page.getByRole('table', { name: 'Letters' }).getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Discard…' }).click()
}

async function breakTheSchema(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Reveal and edit' }).click()
  await writeOver(page.getByLabel('Body'), '{ "order": "one" }')
}

/** By so much the page is wider than its window. */
async function overhang(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 900 })
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

inChromium((open) => {
  describe('every screen', () => {
    let shop: Shop
    beforeAll(async () => {
      shop = await aShopWithEverything()
    })
    afterAll(() => shop?.close())

    // A test for each, because a checker takes its time: a slow machine is given all of it for every one.
    describe.each(['light', 'dark'] as const)('in %s', (theme) => {
      test.each(everyScreen)(
        'has nothing that an accessibility checker finds, and fits into windows of 360 to 2560 pixels: %s',
        async (path, sign) => {
          const { page, wrongs } = await openAs(open, shop, { reveal: true }, path, { theme })
          await page.getByText(sign).first().waitFor()
          if (path.startsWith('/letters/')) await page.getByText('One moment…').first().waitFor({ state: 'detached' })
          expect(await violationsOn(page)).toEqual([])
          for (const width of [360, 1366, 2560, 1280])
            await expect.poll(() => overhang(page, width), { message: `in ${width} pixels` }).toBe(0)
          expect(await wrongs()).toEqual([])
        },
      )

      test.each(opened)('opens nothing that an accessibility checker finds something in: %s with %s', async (path, sign, act) => {
        const { page, wrongs } = await openAs(open, shop, { reveal: true }, path, { theme })
        await page.getByRole('heading', { level: 1 }).waitFor()
        await act(page)
        await page.getByText(sign).first().waitFor()
        expect(await violationsOn(page)).toEqual([])
        expect(await wrongs()).toEqual([])
      })
    })

    test('on a small laptop what a screen is about is in sight without scrolling', async () => {
      const { page } = await openAs(open, shop, { reveal: true })
      await page.setViewportSize({ width: 1366, height: 768 })
      for (const [path, about] of [
        ['/', page.getByRole('table', { name: 'Causes' }).getByRole('row').last()],
        ['/overview', page.getByRole('region', { name: 'Alerts that fire' })],
        ['/causes/1', page.getByRole('button', { name: 'Replay all…' })],
        ['/letters', page.getByRole('table', { name: 'Letters' }).getByRole('row').last()],
        ['/letters/1', page.getByRole('button', { name: 'Edit and replay…' })],
        ['/replay?letters=1', page.getByText('shop/orders')],
        ['/replays/1', page.getByRole('button', { name: 'Start' })],
        ['/alerts', page.getByRole('button', { name: 'Acknowledge for a day' }).first()],
      ] as const) {
        await page.goto(path)
        await about.waitFor()
        const box = await about.boundingBox()
        expect((box?.y ?? 0) + (box?.height ?? 0), path).toBeLessThan(768)
      }
    })

    test('an accessibility mistake and a line that is too long, both on purpose, are found', async () => {
      const { page } = await openAs(open, shop, {})
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.evaluate(`document.querySelector('main').append(document.createElement('button'))`)
      expect(await violationsOn(page)).toContainEqual(expect.stringMatching(/^button-name/))
      await page.evaluate(`document.body.style.overflowX = 'visible'; document.querySelector('h1').style.width = '500px'`)
      expect(await overhang(page, 360)).toBeGreaterThan(0)
    })

    test('strangers see a form to sign in, and nothing else, with nothing that an accessibility checker finds', async () => {
      const { page } = await open(shop.address)
      await page.goto('/letters/1')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(await page.getByRole('navigation').count()).toBe(0)
      expect(await violationsOn(page)).toEqual([])
    })
  })
})

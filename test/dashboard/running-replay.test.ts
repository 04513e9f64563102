import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Transport } from '../../src/transports/seam.ts'
import { until } from '../until.ts'
import { aShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { theNumberIs, theReplayCounts } from './then.ts'
import { openAs } from './when.ts'

/** A line to the broker that takes what it is given when it is opened. */
function aGate(): { readonly wrap: (transport: Transport) => Transport; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    wrap: (transport) => ({
      ...transport,
      send: async (address, message, options) => {
        await promise
        return transport.send(address, message, options)
      },
    }),
    open: resolve,
  }
}

async function sealed({ plane }: Shop): Promise<number> {
  const { replay } = await plane.replays.seal(
    { filter: 'state:open' },
    { name: 'after the fix', actor: 'ana', rate: 1000, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 60_000 },
  )
  return replay.id
}

inChromium((open) => {
  test('a replay is paused while a letter is on its way, resumed, and goes on when the tab is closed', async () => {
    const gate = aGate()
    const shop = await aShop({ wrap: gate.wrap, reports: true })
    for (const order of [1, 2, 3, 4, 5, 6]) await shop.order(order, 'DE')
    await shop.untilOpen(6)
    shop.repair()
    const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, `/replays/${await sealed(shop)}`)
    await page.getByRole('button', { name: 'Start' }).click()
    await theReplayCounts(page, 'claimed', 1)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused: nothing more is sent').waitFor()
    gate.open()
    // What was on its way arrives and is watched; the others wait.
    await theReplayCounts(page, 'succeeded', 1)
    await theReplayCounts(page, 'planned', 5)
    expect(shop.shipped).toHaveLength(1)

    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Paused: nothing more is sent').waitFor({ state: 'detached' })
    expect(await wrongs()).toEqual([])
    await page.close()
    await until('the others are shipped', () => shop.shipped.length === 6)

    const { page: next } = await openAs(open, shop, { role: 'viewer' }, '/replays')
    await next.getByRole('link', { name: 'after the fix' }).click()
    await next.getByText('All 6 are through.').waitFor()
    await theNumberIs(next, 0)
  })

  test('what failed in a replay is downloaded as lines that say which letters, and why', async () => {
    const shop = await aShop({ reports: true })
    await shop.order(1, 'XX')
    await shop.untilOpen(1)
    const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, `/replays/${await sealed(shop)}`)
    const download = page.getByRole('button', { name: 'Download failures' })
    expect(await download.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'Start' }).click()
    await theReplayCounts(page, 'returned', 1)
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
    expect(file.suggestedFilename()).toMatch(/^replay-\d+-failures\.jsonl$/)
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { letter: 1, state: 'returned', destination: { connection: 'shop', channel: 'orders' } },
    ])
    expect(await wrongs()).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { createSink } from '../../src/notifiers/kinds.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { aShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { watchShifts } from './shifts.ts'
import { itListens, theNumberIs, theReplayCounts } from './then.ts'
import { answered, goTo, openAs } from './when.ts'

/** Screens that follow what happens, and what tells that they are all there. */
const screens: readonly (readonly [path: string, sign: string])[] = [
  ['/', '2 causes, as of'],
  ['/overview', 'where the rules begin to hold'],
  ['/causes/1', 'What they have in common'],
  ['/letters', 'in all'],
  ['/letters/1', 'Written as'],
  ['/sources', 'Every letter that was ever kept'],
  ['/alerts', 'Letters in a dead-letter queue'],
  ['/consumers', 'heard of'],
]

async function aShopThatFails(): Promise<Shop> {
  const tells = [createSink('hook', 'webhook', { url: 'https://hooks.example/alerts' }, { clock: systemClock })]
  const shop = await aShop({ tells, reports: true })
  for (const order of [1, 2, 3]) await shop.order(order, 'DE')
  await shop.order(4, 'XX')
  await shop.untilOpen(4)
  return shop
}

inChromium((open) => {
  test.each(screens)('nothing moves when letters come while somebody looks: %s', async (path, sign) => {
    const shop = await aShopThatFails()
    const { page, wrongs } = await openAs(open, shop, { reveal: true }, '/nowhere')
    await answered(page, path, sign)
    const shifts = await watchShifts(page)
    for (let order = 10; order < 110; order++) await shop.order(order, order % 3 === 0 ? 'DE' : 'XX')
    await shop.untilOpen(104)
    await theNumberIs(page, 104)
    expect(await shifts()).toEqual([])
    expect(await wrongs()).toEqual([])
  })

  test('nothing moves when a consumer is not heard of any more and its channel is held up', async () => {
    const shop = await aShopThatFails()
    const { page } = await openAs(open, shop, {}, '/nowhere')
    await answered(page, '/consumers', 'heard of')
    const shifts = await watchShifts(page)
    await page.route('**/api/v1/consumers*', async (route) => {
      const answer = await route.fetch()
      const text = await answer.text()
      await route.fulfill({
        response: answer,
        body: text.replaceAll('"reporting"', '"unknown"').replaceAll('"consuming"', '"held-up"'),
      })
    })
    await shop.order(5, 'XX')
    await page.getByText(/^.unknown$/).waitFor()
    await page.getByText(/^.held-up$/).waitFor()
    expect(await shifts()).toEqual([])
  })

  test('a screen that was answered by a proxy while the server was exchanged follows again', async () => {
    const shop = await aShopThatFails()
    const { page } = await openAs(open, shop, {}, '/nowhere')
    await page.route('**/api/v1/events', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
    await page.goto('/')
    await page.getByText('Not live').first().waitFor()
    await page.unroute('**/api/v1/events')
    await itListens(page)
    await shop.order(5, 'XX')
    await theNumberIs(page, 5)
  })

  test('letters that came while somebody looked elsewhere wait behind the button when they come back', async () => {
    const shop = await aShopThatFails()
    const { page } = await openAs(open, shop, {}, '/letters')
    await page.getByText('4 letters in all').waitFor()
    await goTo(page, 'Inbox')
    await shop.order(5, 'XX')
    await theNumberIs(page, 5)
    await goTo(page, 'Letters')
    await page.getByRole('button', { name: '1 letter came or changed. Show' }).click()
    await page.getByText('5 letters in all').waitFor()
  })

  test('a list of letters says that it may be old when a replay has changed some of them, and when events were missed', async () => {
    const shop = await aShopThatFails()
    const { replay } = await shop.plane.replays.seal(
      { letters: [1] },
      { name: 'one', actor: 'ana', rate: 50, canary: undefined, observe: 60_000 },
    )
    const { page } = await openAs(open, shop, {}, '/letters')
    await page.getByText('4 letters in all').waitFor()
    await itListens(page)
    await shop.plane.replays.cancel(replay.id, { actor: 'ana' })
    const mayBeOld = page.getByRole('button', { name: 'Letters may have come or changed. Show' })
    await mayBeOld.click()
    await mayBeOld.waitFor({ state: 'detached' })

    // An answer that is no stream ends the listening; when it begins again, nobody tells what happened meanwhile.
    await page.route('**/api/v1/events', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
    await page.goto('/letters')
    await page.getByText('4 letters in all').waitFor()
    await page.getByText('Not live').first().waitFor()
    await page.unroute('**/api/v1/events')
    await mayBeOld.waitFor()
  })

  test('a list of open letters holds none that somebody has just replayed', async () => {
    const shop = await aShop()
    await shop.order(1, 'DE')
    await shop.untilOpen(1)
    shop.repair()
    const { page } = await openAs(open, shop, { role: 'operator' }, '/letters')
    await page.getByRole('checkbox', { name: 'Select letter 1' }).check()
    await page.getByRole('button', { name: 'Replay 1…' }).click()
    await page.getByText('1 letter.').waitFor()
    await page.getByRole('button', { name: 'Seal and start' }).click()
    await page.getByText('Replay 1 holds 1 letter.').waitFor()
    await goTo(page, 'Letters')
    await page.getByText('No letter matches').waitFor()
  })

  test('nothing moves while a replay runs, stops and is cancelled before the eyes of somebody, and what they see is what happened', async () => {
    const shop = await aShopThatFails()
    const { replay } = await shop.plane.replays.seal(
      { filter: 'state:open' },
      { name: 'too early', actor: 'ana', rate: 50, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 60_000 },
    )
    const { page } = await openAs(open, shop, { role: 'operator' }, '/nowhere')
    await answered(page, `/replays/${replay.id}`, 'Nothing is sent before it is started.')
    const shifts = await watchShifts(page)
    await shop.plane.replays.start(replay.id, { actor: 'ana' })
    await page.getByText('It stopped by itself').waitFor()
    await theReplayCounts(page, 'returned', 1)
    await shop.plane.replays.cancel(replay.id, { actor: 'ana' })
    await page.getByText('Cancelled: what was not sent is open again.').waitFor()
    await theReplayCounts(page, 'cancelled', 3)
    expect(await shifts()).toEqual([])
  })
})

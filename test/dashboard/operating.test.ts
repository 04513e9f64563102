import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { createSink } from '../../src/notifiers/kinds.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { openStub, type Stub } from '../alerts/stub.ts'
import { until } from '../until.ts'
import { openShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { theNumberLooks } from './then.ts'
import { goTo, openAs, tabTo, writeOver } from './when.ts'

const anyLetters = 'Letters in a dead-letter queue'

inChromium((open) => {
  let shop: Shop
  let stub: Stub
  let isDown = false

  /** A queue that can be made to say nothing about itself. */
  const mayBeDown = (transport: Transport): Transport => ({
    ...transport,
    measure: (address) =>
      isDown ? Promise.reject(new RedriveError('unreachable', 'The broker is away.')) : transport.measure(address),
  })

  // One shop for all: each test brings what it needs, and takes back what it changed.
  beforeAll(async () => {
    stub = await openStub()
    const at = { url: stub.url, allowAddresses: ['127.0.0.1'], allowPorts: [stub.port] }
    shop = await openShop({
      wrap: mayBeDown,
      reports: true,
      tells: [createSink('hook', 'webhook', at, { clock: systemClock })],
    })
    for (const order of [1, 2, 3]) await shop.order(order, 'DE')
    await shop.order(4, 'XX')
    await shop.untilOpen(4)
    // Whoever acknowledges or silences it before that keeps it from being told.
    await until('the alert was told', () => stub.requests.length > 0)
  })
  afterAll(async () => {
    await shop?.close()
    await stub?.close()
  })

  const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name }).first()

  describe('a cause', () => {
    test('is merged into another one with the keyboard alone, which tells who said so and why, and is itself again when that is undone', async () => {
      const { causes } = await shop.plane.causes.list({ limit: 10 })
      const [one, other] = ['certificate', 'Nobody'].map((word) => causes.find(({ title }) => title.includes(word)))
      if (!one || !other) throw new Error('Two causes are needed.')
      const { page, wrongs } = await openAs(open, shop, { role: 'operator', name: 'mia' }, `/causes/${one.id}`)
      await page.getByRole('heading', { name: 'The carrier refuses' }).waitFor()
      await page.getByText('3 letters').first().waitFor()
      await page.keyboard.press('m')
      await page.getByRole('dialog').waitFor()
      await page.getByLabel('Which').selectOption(String(other.id))
      await page.getByLabel('Why').focus()
      await page.keyboard.type('one carrier')
      await page.keyboard.press('Enter')
      await page.getByText('by mia').waitFor()
      await page.getByText('because one carrier').waitFor()
      await page.getByText('4 letters').first().waitFor()
      const { page: next } = await openAs(open, shop, { role: 'viewer' }, `/causes/${other.id}`)
      await next.getByRole('link', { name: `stands under cause ${one.id}` }).waitFor()
      await tabTo(page, 'Undo… decision 1')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      await page.getByLabel('Why').focus()
      await page.keyboard.type('two carriers')
      await page.keyboard.press('Enter')
      await page.getByText('because two carriers').waitFor()
      await page.getByText('3 letters').first().waitFor()
      expect(await wrongs()).toEqual([])
    })

    test('is split by a rule, and the new one tells from where', async () => {
      const { causes } = await shop.plane.causes.list({ limit: 10 })
      const one = causes.find(({ title }) => title.includes('Nobody'))
      if (!one) throw new Error('A cause is needed.')
      const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, `/causes/${one.id}`)
      await page.getByRole('button', { name: 'Split…' }).click()
      await page.getByLabel('Which letters').fill('state:open')
      await page.getByLabel('Why').fill('for a test')
      await page.getByRole('button', { name: 'Split', exact: true }).click()
      await page.getByText('A rule asks for what a letter keeps').waitFor()
      await page.getByLabel('Which letters').fill('version:2.4.0')
      await page.getByRole('button', { name: 'Split', exact: true }).click()
      await page.getByText('Letters with version:2.4.0 were split').waitFor()
      await page.getByText('0 unresolved').first().waitFor()
      await page.getByRole('button', { name: 'Undo…' }).click()
      await page.getByLabel('Why').fill('it was a test')
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await page.getByText('because it was a test').waitFor()
      await page.getByText('1 unresolved').first().waitFor()
      expect((await wrongs()).filter((wrong) => !wrong.includes('400'))).toEqual([])
    })
  })

  describe('a sealed replay', () => {
    test('is given a time, which it shows, and is cancelled before', async () => {
      const { replay } = await shop.plane.replays.seal(
        { filter: 'state:open' },
        { name: 'at night', actor: 'ana', rate: 50, canary: undefined, observe: 1000 },
      )
      const { page, wrongs } = await openAs(open, shop, { role: 'operator', name: 'noa' }, `/replays/${replay.id}`)
      await page.getByRole('button', { name: 'Later…' }).click()
      await page.getByLabel('Start later, at').fill(`${new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10)}T03:00`)
      await page.getByRole('button', { name: 'Schedule' }).click()
      await page.getByText('It is started on').waitFor()
      await page.getByText('by noa').waitFor()
      await page.getByRole('button', { name: 'Later…' }).click()
      await page.getByRole('button', { name: 'Give it another time' }).waitFor()
      await page.getByRole('button', { name: 'Back', exact: true }).click()
      await page.getByRole('button', { name: 'Cancel the rest' }).click()
      await page.getByText('Cancelled: what was not sent is open again.').waitFor()
      expect(await wrongs()).toEqual([])
    })
  })

  describe('an alert', () => {
    test('is acknowledged and snoozed, which whoever looks next sees, and taken back', async () => {
      const { page, wrongs } = await openAs(open, shop, { role: 'operator', name: 'ana' }, '/alerts')
      const row = rowOf(page, anyLetters)
      await row.getByRole('button', { name: 'Acknowledge for a day' }).click()
      await row.getByText('ana is at it until').waitFor()
      await row.getByRole('button', { name: 'Snooze for an hour' }).click()
      await row.getByText('ana let it sleep until').waitFor()

      const { page: next } = await openAs(open, shop, { role: 'viewer' }, '/alerts')
      const theirs = rowOf(next, anyLetters)
      await theirs.getByText('ana is at it until').waitFor()
      await theirs.getByText('not told because of a silence').waitFor()
      expect(await theirs.getByRole('button', { name: 'Not at it any more' }).getAttribute('aria-disabled')).toBe('true')

      await row.getByRole('button', { name: 'Not at it any more' }).click()
      await row.getByRole('button', { name: 'Wake it up' }).click()
      await row.getByRole('button', { name: 'Acknowledge for a day' }).waitFor()
      await row.getByRole('button', { name: 'Snooze for an hour' }).waitFor()
      const noted = (await shop.audit()).filter((line) => line.startsWith('ana alerts.') && line.endsWith('done'))
      expect(noted.map((line) => line.split(' ')[1])).toEqual([
        ...['alerts.acknowledge', 'alerts.snooze', 'alerts.unacknowledge', 'alerts.unsnooze'],
      ])
      expect(await wrongs()).toEqual([])
    })

    test('is silenced from where it stands, with a reason, and heard of again when the silence is ended', async () => {
      const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, '/alerts')
      await rowOf(page, anyLetters).getByRole('button', { name: 'Silence…' }).click()
      const silence = page.getByRole('button', { name: 'Silence', exact: true })
      expect(await page.getByLabel('Which alerts').inputValue()).toBe('rule=dlq.any\nsource=shop\nqueue=dlq.orders')
      // Without a reason it is off, and says so.
      expect(await silence.getAttribute('aria-disabled')).toBe('true')
      await page.getByLabel('Why').fill('the carrier is being moved')
      await silence.click()
      await rowOf(page, 'the carrier is being moved').getByText('ends in').waitFor()
      await goTo(page, 'Alerts')
      await rowOf(page, anyLetters).getByText('not told because of a silence').waitFor()
      await page.getByRole('link', { name: 'Silences' }).click()
      await rowOf(page, 'the carrier is being moved').getByRole('button', { name: 'End now' }).click()
      await page.getByText('Nothing is silenced').waitFor()
      expect(await wrongs()).toEqual([])
    })

    test('leads to what it is about, stands on the overview, and reaches who is told', async () => {
      const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, '/overview')
      await page.getByRole('region', { name: 'Alerts that fire' }).getByText('Dead-Letter Queue dlq.orders').waitFor()
      await page.getByRole('link', { name: 'Acknowledge, snooze, silence' }).click()
      await rowOf(page, anyLetters).getByRole('link', { name: 'Its letters' }).click()
      await page.getByText('4 letters in all').waitFor()
      await page.goto('/alerts/notifiers')
      const told = stub.requests.length
      await page.getByRole('button', { name: 'Send a test to hook' }).click()
      await page.getByText('The test was taken').waitFor()
      expect(stub.requests.slice(told).map(({ json }) => json.subject)).toContain('Test of notifier hook')
      await rowOf(page, 'firing to hook').getByText('sent').waitFor()
      expect(await wrongs()).toEqual([])
    })

    test('would have come sooner or later with another limit, which can be tried', async () => {
      const { page } = await openAs(open, shop, { role: 'operator' }, '/alerts/rules')
      await page.getByRole('button', { name: 'Try… dlq.any' }).click()
      await page.getByRole('button', { name: 'Try', exact: true }).click()
      await page.getByText(/It would have fired (once|\d+ times), by \d+ looks/).waitFor()
      await page.getByLabel('Limit').fill('1000')
      await page.getByRole('button', { name: 'Try', exact: true }).click()
      await page.getByText('It would have fired 0 times').waitFor()
      await page.getByLabel('Limit').fill('many')
      expect(await page.getByRole('button', { name: 'Try', exact: true }).getAttribute('aria-disabled')).toBe('true')
    })
  })

  test('a channel is paused from the overview and resumed, and what waited meanwhile is shipped', async () => {
    const { page, wrongs } = await openAs(open, shop, { role: 'operator', name: 'otto' }, '/overview')
    const button = page.getByRole('button', { name: /^(Pause|Resume) orders$/ })
    const row = page.getByRole('listitem').filter({ has: button })
    await row.getByText('consuming').waitFor()
    await row.getByRole('button', { name: 'Pause orders' }).click()
    await row.getByText('paused').waitFor()
    await row.getByText('told to pause by otto').waitFor()
    await shop.order(100, 'AT')
    await row.getByRole('button', { name: 'Resume orders' }).waitFor()
    expect(shop.shipped).not.toContain(100)
    await row.getByRole('button', { name: 'Resume orders' }).click()
    await row.getByText('consuming').waitFor()
    await expect.poll(() => shop.shipped).toContain(100)
    expect(await wrongs()).toEqual([])
  })

  test('the inbox is narrowed by a filter that stands in the address, and what is ticked is not what matches', async () => {
    const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, '/')
    const causes = page.getByRole('table', { name: 'Causes' }).getByRole('row')
    await expect.poll(() => causes.count()).toBe(2)
    const filter = page.getByLabel('Only causes with letters that match')
    await filter.fill('reason:Carrier')
    await filter.press('Enter')
    await causes.filter({ hasText: '3 match' }).waitFor()
    expect(await causes.count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('filter')).toBe('reason:Carrier')
    await page.reload()
    await causes.filter({ hasText: '3 match' }).waitFor()

    await page.getByLabel('Select the 1 cause shown').check()
    await page.getByText('1 cause selected, 3 matching letters').waitFor()
    await page.getByLabel('Take all 3 open letters that match').check()
    expect(await page.getByRole('button', { name: 'Resolve' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'Replay 3…' }).click()
    await page.getByText('3 letters: first 1, then 3.').waitFor()
    expect(new URL(page.url()).searchParams.get('filter')).toBe('state:open (reason:Carrier)')

    await page.goto('/?filter=stat:open')
    await page.getByText('bad-filter').waitFor()
    expect(await wrongs()).toEqual([])
  })

  test('letters are planned for another channel by name, and for where they died again', async () => {
    const [letter] = (await shop.plane.letters.find({ filter: 'reason:Carrier', limit: 1 })).letters
    const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, `/replay?letters=${letter?.id}`)
    const planned = page.getByRole('row').filter({ hasText: '→' })
    await planned.getByText('shop/orders', { exact: true }).waitFor()
    await page.getByText('Send them elsewhere').click()
    await page.getByLabel('Channel').fill('orders.again')
    await page.getByRole('button', { name: 'Show that plan' }).click()
    await planned.getByText('shop/orders.again', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Each to where it died' }).click()
    await planned.getByText('shop/orders', { exact: true }).waitFor()
    expect(await wrongs()).toEqual([])
  })

  test('broken JSON is said at its line while it is edited, and is gone when it is undone', async () => {
    const [letter] = (await shop.plane.letters.find({ filter: 'reason:Carrier', limit: 1 })).letters
    const { page, wrongs } = await openAs(open, shop, { reveal: true }, `/letters/${letter?.id}/edit`)
    await page.getByRole('button', { name: 'Reveal and edit' }).click()
    const body = page.getByLabel('Body')
    const before = await body.innerText()
    await writeOver(body, before.replace('"country":', '"country"'))
    await page.getByTestId('remark').getByText('A colon is expected here.').waitFor()
    expect(await body.getAttribute('aria-invalid')).toBe('true')
    await page.getByText('Line 3: A colon is expected here.').waitFor()
    // Keys of the page are letters here.
    await body.press('End')
    await page.keyboard.type('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo all' }).click()
    await page.getByTestId('remark').waitFor({ state: 'detached' })
    expect(await body.innerText()).toBe(before)
    await body.press('ControlOrMeta+z')
    await page.getByTestId('remark').waitFor()
    await body.press('ControlOrMeta+y')
    await page.getByTestId('remark').waitFor({ state: 'detached' })
    expect(await wrongs()).toEqual([])
  })

  test('an edit that is made before its letter has come is kept as soon as it has', async () => {
    const [letter] = (await shop.plane.letters.find({ filter: 'reason:Carrier', limit: 1 })).letters
    const { page, wrongs } = await openAs(open, shop, { reveal: true }, '/nowhere')
    const { promise: comes, resolve: come } = Promise.withResolvers<void>()
    await page.route(`**/api/v1/letters/${letter?.id}`, async (route) => {
      await comes
      await route.continue()
    })
    await page.goto(`/letters/${letter?.id}/edit`)
    await page.getByRole('button', { name: 'Reveal and edit' }).click()
    await writeOver(page.getByLabel('Body'), '{}')
    const keep = page.getByRole('button', { name: 'Keep the edit' })
    await page.getByText('The letter is not here yet.').waitFor({ state: 'attached' })
    expect(await keep.getAttribute('aria-disabled')).toBe('true')
    come()
    await keep.click()
    await page.getByRole('heading', { name: 'Replay letters' }).waitFor()
    expect(await wrongs()).toEqual([])
  })

  test('every attempt stands on the timeline of a letter, with what it failed with', async () => {
    await shop.order(77, 'ZZ')
    const found = async () => (await shop.plane.letters.find({ filter: 'correlation:order-77', limit: 1 })).letters
    await until('its letter is in the vault', async () => (await found()).length === 1)
    const [letter] = await found()
    const { page, wrongs } = await openAs(open, shop, { role: 'viewer' }, `/letters/${letter?.id}`)
    const given = page.getByText('Given up at attempt 3 by shop 2.4.0: RangeError: The carrier is asleep, ring no. 3')
    await given.waitFor()
    const moments = await page
      .getByRole('listitem')
      .filter({ has: page.getByText(/failed: |Given up/) })
      .allInnerTexts()
    expect(moments.map((text) => /(Attempt \d|Given up at attempt \d).*no\. (\d)/.exec(text)?.slice(1))).toEqual([
      ['Given up at attempt 3', '3'],
      ['Attempt 2', '2'],
      ['Attempt 1', '1'],
    ])
    expect(await wrongs()).toEqual([])
  })

  test('whatever is typed into the editor stays, also when it comes faster than the page is drawn', async () => {
    const { page, wrongs } = await openAs(open, shop, { reveal: true }, '/letters/1/edit')
    await page.getByRole('button', { name: 'Reveal and edit' }).click()
    const body = page.getByLabel('Body')
    await body.press('ControlOrMeta+a')
    const typed = Array.from({ length: 400 }, (_, index) => String((index % 9) + 1)).join('')
    await page.evaluate(typeBetweenTheStepsOfThePage, typed)
    expect((await body.innerText()).trim()).toBe(typed)
    expect(await wrongs()).toEqual([])
  })

  test('a cause that was said to be mended opens again as a regression when the mended version fails, while somebody looks', async () => {
    const { page, wrongs } = await openAs(open, shop, { role: 'operator' }, '/')
    await page.getByRole('link', { name: 'Nobody brings parcels there' }).click()
    await page.getByRole('button', { name: 'Fixed…' }).click()
    await page.getByLabel('Fixed in version').fill('2.4.0')
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByText('fixed in 2.4.0').waitFor()
    await goTo(page, 'Inbox')
    const row = page.getByRole('row').filter({ hasText: 'Nobody brings parcels there' })
    await row.waitFor({ state: 'detached' })
    await page.getByRole('row').first().waitFor()
    await shop.order(5, 'XX')
    await page.getByRole('button', { name: '1 new cause. Show' }).click()
    await row.getByText('regression').waitFor()
    expect(await wrongs()).toEqual([])
  })

  test('a broker that cannot be asked is unknown since then, on every screen, and never 0 and never green', async () => {
    const { page, wrongs } = await openAs(open, shop, {}, '/overview')
    const source = page.getByRole('row').filter({ hasText: 'dlq.orders' })
    await source.getByText('checked').waitFor()
    try {
      isDown = true
      await source.getByText('unknown since').waitFor()
      await source.getByText('≥').waitFor()
      await page.getByText('1 source cannot be asked').waitFor()
      expect(await page.getByTestId('the-number').textContent()).toContain('≥')
      await page.getByRole('region', { name: 'Alerts that fire' }).getByText('can be probed').waitFor()
      // What nobody can look at is neither raised nor resolved.
      await goTo(page, 'Alerts')
      await rowOf(page, anyLetters).getByText('unknown since').waitFor()
    } finally {
      isDown = false
    }
    await goTo(page, 'Overview')
    await source.getByText('checked').waitFor()
    await theNumberLooks(page, 'bad')
    expect(await wrongs()).toEqual([])
  })
})

/** Runs in the page, and lets it come between two letters in each of the ways in which a page goes on: microtasks, messages, timers, frames. */
async function typeBetweenTheStepsOfThePage(text: string): Promise<void> {
  const { document, requestAnimationFrame } = globalThis as unknown as {
    document: { execCommand(name: string, ui: boolean, value: string): boolean }
    requestAnimationFrame(then: () => void): void
  }
  const steps = [
    () => Promise.resolve(),
    () =>
      new Promise<void>((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => resolve())
        port1.start()
        port2.postMessage(0)
      }),
    () => new Promise<void>((resolve) => setTimeout(resolve)),
    () => new Promise<void>((resolve) => requestAnimationFrame(resolve)),
  ]
  for (const [index, letter] of [...text].entries()) {
    document.execCommand('insertText', false, letter)
    await steps[index % steps.length]?.()
  }
}

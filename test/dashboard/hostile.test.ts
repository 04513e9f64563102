import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { names } from '../../src/core/dialects/letter-headers.ts'
import type { Header } from '../../src/core/message.ts'
import { createSink } from '../../src/notifiers/kinds.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { channelReport, report } from '../control/reports.fixture.ts'
import { aShop, type Shop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { openAs } from './when.ts'

const attacks = [
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  '</script><script>alert(1)</script>',
  "{{constructor.constructor('alert(1)')()}}",
  '<a href="javascript:alert(1)">x</a>',
]

/** What a browser would like to show, and run. */
const downloads = [
  '<html><script>alert(1)</script></html>',
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  '%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj',
  '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xml,<x/>"?><a/>',
  'MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n<script>alert(1)</script>\n--x--',
]

const rows = (count: number): object[] => Array.from({ length: count }, (_, row) => ({ row, text: 'some words of a row' }))

/** Bodies that a page cannot show as a whole. */
const immense: Readonly<Record<string, () => string>> = {
  'ten megabytes of JSON': () => JSON.stringify({ rows: rows(220_000) }),
  'a line of fifty megabytes': () => `"${'x'.repeat(50_000_000)}"`,
  'an object of a million keys': () =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 1_000_000 }, (_, key) => [`k${key}`, key]))),
  'a list a hundred thousand deep': () => '['.repeat(100_000) + ']'.repeat(100_000),
}

/** A letter whose every field is an attack, as a broker could bring it. */
async function aLetterFull(shop: Shop, n: number, attack: string): Promise<number> {
  const source = await sourceIn(shop.vault, `dlq.${attack}`, attack)
  const headers: Header[] = [
    [attack, attack],
    [names.stack, `Error: ${attack}\n    at ${attack} (${attack}:1:1)`],
  ]
  const described = {
    error: attack,
    type: attack,
    channel: attack,
    correlation: attack,
    key: attack,
    version: attack,
    service: attack,
  }
  const [letter = 0] = await keep(shop.vault, source, [
    deadLetter({ n, ...described, headers, body: JSON.stringify({ [attack]: attack }) }),
  ])
  await shop.plane.letters.note(letter, attack, { actor: attack })
  const { cause } = (await shop.plane.letters.show(letter)).letter
  await shop.plane.causes.own(cause, { owner: attack, actor: attack })
  await shop.plane.causes.note(cause, attack, { actor: attack })
  return letter
}

/** What people and consumers write, as an attack: a replay, a silence, a person with a token, a consumer and its channel. */
async function everythingElseFull(shop: Shop, attack: string): Promise<void> {
  const limits = { rate: 50, canary: undefined, observe: 1000 }
  await shop.plane.replays.seal({ filter: 'state:open' }, { name: attack, actor: attack, ...limits })
  const matchers = [{ name: 'queue', is: '=', value: attack }] as const
  const endsAt = Date.now() + 3_600_000
  await shop.plane.alerts.silence({ matchers, reason: attack, endsAt, evenProtected: false, actor: attack })
  await shop.person({ name: attack })
  await reported(shop, attack)
}

/** A report as a consumer sends it that bears the attack in every name. */
async function reported(shop: Shop, attack: string): Promise<void> {
  const written = { service: attack, instance: attack, run: attack, version: attack, environment: attack }
  const channels = [channelReport({ name: attack, group: attack, deadLetter: attack })]
  await shop.plane.consumers.report(report({ ...written, channels }), [['*']])
}

/** Where text of strangers stands, beside the pages of each letter and its cause. */
const everywhere = [
  ...['/overview', '/sources', '/letters', '/audit', '/replay?filter=', '/replays', '/replays/1', '/alerts'],
  ...['/alerts/silences', '/alerts/rules', '/alerts/notifiers', '/consumers', '/people', '/permissions'],
] as const

async function aLetterWith(shop: Shop, body: string | Uint8Array, headers: readonly Header[] = []): Promise<number> {
  const source = await sourceIn(shop.vault)
  const message = { ...deadLetter({ n: Math.floor(Math.random() * 1e9), headers }), body: Buffer.from(body) }
  const [letter = 0] = await keep(shop.vault, source, [message])
  return letter
}

inChromium((open) => {
  describe('what strangers wrote', () => {
    test('cases 26 and 27: is text on every screen, wherever it stands, and nothing of it runs', async () => {
      const tells = [createSink(attacks[0] ?? '', 'webhook', { url: 'https://hooks.example/' }, { clock: systemClock })]
      const shop = await aShop({ tells })
      const letters: number[] = []
      for (const [n, attack] of attacks.entries()) letters.push(await aLetterFull(shop, n, attack))
      for (const attack of attacks) await everythingElseFull(shop, attack)
      const { page, wrongs } = await openAs(open, shop, { name: `${attacks[1]} himself`, reveal: true })
      await page
        .getByRole('row')
        .nth(attacks.length - 1)
        .waitFor()
      for (const path of everywhere) {
        await page.goto(path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page
          .getByText(/One moment…|Looking|Counting…|Fetching…/)
          .first()
          .waitFor({ state: 'detached' })
      }
      for (const [index, id] of letters.entries()) {
        await page.goto(`/letters/${id}`)
        await page.getByRole('button', { name: 'Reveal' }).click()
        await page.getByText('revealed, which is in the audit trail').waitFor()
        expect(await page.getByTestId('body').textContent()).toContain(JSON.stringify(attacks[index]))
        await page.getByRole('link', { name: 'its cause' }).click()
        await page.getByRole('heading', { name: 'What they have in common' }).waitFor()
      }
      expect(await wrongs()).toEqual([])
    })

    test('a page that is watched does see what its policy stops', async () => {
      const shop = await aShop()
      const { page, wrongs } = await openAs(open, shop, {})
      await page.evaluate(`document.body.append(Object.assign(document.createElement('style'), { textContent: 'p{}' }))`)
      await page.evaluate(`try { document.body.innerHTML = '<b>' } catch {}`)
      await expect.poll(async () => (await wrongs()).join()).toMatch(/style-src.*require-trusted-types-for/s)
    })

    test('case 29: characters that turn the direction or cannot be seen are written out', async () => {
      const shop = await aShop()
      const id = await aLetterWith(shop, JSON.stringify({ file: 'invoice\u202efdp.exe', gap: 'a\u200bb' }), [
        ['x-name', 'safe\u202etxt\u001b]0;x\u0007'],
      ])
      const { page } = await openAs(open, shop, { reveal: true }, `/letters/${id}`)
      await page.getByTestId('body').waitFor()
      const text = (await page.locator('main').textContent()) ?? ''
      expect(text).toContain('invoice\\u202efdp.exe')
      expect(text).toContain('a\\u200bb')
      expect(text).toContain('safe\\u202etxt\\u001b]0;x\\u0007')
      expect(text).not.toMatch(/[\u202e\u200b\u001b]/)
    })

    test.each(Object.entries(immense))('case 30: %s is cut to what can be read, and the page goes on', async (_, body) => {
      const shop = await aShop()
      const id = await aLetterWith(shop, body())
      const { page, wrongs } = await openAs(open, shop, { reveal: true }, `/letters/${id}`)
      await page.getByRole('button', { name: 'Reveal' }).click()
      await page.getByText('Cut: only the beginning is shown').or(page.getByText('revealed, which')).first().waitFor()
      expect(((await page.getByTestId('body').textContent()) ?? '').length).toBeLessThan(300_000)
      expect(await wrongs()).toEqual([])
    })

    test('case 30: bytes are shown as such, and of ten thousand headers the first until somebody wants all', async () => {
      const shop = await aShop()
      const bytes = await aLetterWith(
        shop,
        Uint8Array.from({ length: 4096 }, (_, at) => at % 256),
      )
      const headers = await aLetterWith(
        shop,
        '{}',
        Array.from({ length: 10_000 }, (_, at): Header => [`x-${at}`, `value ${at}`]),
      )
      const { page, wrongs } = await openAs(open, shop, { reveal: true })
      await page.goto(`/letters/${bytes}`)
      await page.getByText('nothing of it is shown').waitFor()
      await page.getByRole('button', { name: 'Reveal' }).click()
      await page.getByTestId('body').filter({ hasText: '00000000  00 01 02 03' }).waitFor()
      await page.goto(`/letters/${headers}`)
      await page.getByText(/^10,0\d\d headers$/).waitFor()
      expect(await page.getByRole('row', { name: /^x-\d+ / }).count()).toBeLessThanOrEqual(50)
      await page.getByRole('button', { name: 'Show all' }).click()
      await page.getByRole('row', { name: 'x-9999 value 9999' }).waitFor()
      expect(await wrongs()).toEqual([])
    })

    test('case 28: a body is downloaded as bytes, and never shown by the browser under our name', async () => {
      const shop = await aShop()
      const { page, wrongs } = await openAs(open, shop, { reveal: true })
      for (const body of downloads) {
        const id = await aLetterWith(shop, body)
        await page.goto(`/letters/${id}`)
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Download the bytes' }).click(),
        ])
        expect(download.suggestedFilename()).toBe(`letter-${id}.bin`)
        expect(readFileSync(await download.path(), 'utf8')).toBe(body)
        const [again] = await Promise.all([
          page.waitForEvent('download'),
          page.evaluate(`location.assign('/api/v1/letters/${id}/raw')`),
        ])
        expect(again.suggestedFilename()).toBe(`letter-${id}.bin`)
        expect(page.url()).toBe(`${shop.address}/letters/${id}`)
      }
      expect(await wrongs()).toEqual([])
    })
  })

  describe('a page of somebody else', () => {
    test('cases 21 to 24: can neither send for a person, read what they see, nor show the dashboard in a frame', async () => {
      const shop = await aShop()
      await shop.order(1, 'DE')
      await shop.untilOpen(1)
      const { page } = await openAs(open, shop, { name: 'victim', reveal: true })
      await page.goto(await aSiteOf(shop))
      const tried = await page.evaluate(`(async () => {
        const discard = '${shop.address}/api/v1/letters/discard'
        const body = JSON.stringify({ selection: { filter: '' } })
        const post = (headers) => fetch(discard, { method: 'POST', credentials: 'include', mode: headers ? 'cors' : 'no-cors', body, ...(headers && { headers }) })
        const read = await fetch('${shop.address}/api/v1/letters', { credentials: 'include' }).then(() => 'read', () => 'refused')
        const json = await post({ 'content-type': 'application/json' }).then(() => 'sent', () => 'refused')
        await post().catch(() => undefined)
        await new Promise((tried) => {
          addEventListener('message', tried, { once: true })
          document.body.append(Object.assign(document.createElement('iframe'), { sandbox: 'allow-scripts', src: '/of-no-origin' }))
        })
        return { read, json }
      })()`)
      expect(tried).toEqual({ read: 'refused', json: 'refused' })
      for (const form of [0, 1]) {
        await Promise.all([page.waitForNavigation(), page.evaluate(`document.forms[${form}].submit()`)])
        await page.goto(await aSiteOf(shop))
      }
      const { letters } = await shop.plane.letters.find({ filter: 'state:open', limit: 10 })
      expect(letters).toHaveLength(1)
      const frame = await page.waitForSelector('iframe')
      const inside = await frame.contentFrame()
      expect((await inside?.content()) ?? '').not.toContain('Redrive')
    })
  })
})

/** Another site, with a form and a frame that aim at the dashboard. */
async function aSiteOf({ address }: Shop): Promise<string> {
  const page = `<!doctype html><title>evil</title>
    <form method="post" enctype="text/plain" action="${address}/api/v1/letters/discard"><input name='{"selection":{"filter":""},"x":"' value='"}'></form>
    <form method="post" action="${address}/api/v1/letters/discard"><input name="selection" value='{"filter":""}'></form>
    <iframe src="${address}/"></iframe>`
  // In a sandbox its origin is null.
  const ofNoOrigin = `<!doctype html><script>
    const request = { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"selection":{"filter":""}}' }
    fetch('${address}/api/v1/letters/discard', request).catch(() => 0).then(() => parent.postMessage('tried', '*'))
  </script>`
  const site: Server = createServer(({ url }, response) =>
    response.setHeader('content-type', 'text/html').end(url === '/of-no-origin' ? ofNoOrigin : page),
  )
  await new Promise<void>((listening) => site.listen(0, '127.0.0.2', listening))
  onTestFinished(() => void site.close())
  return `http://127.0.0.2:${(site.address() as AddressInfo).port}/`
}

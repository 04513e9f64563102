import { expect, test } from 'vitest'
import { aShop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { openAs, writeOver } from './when.ts'

const schema = {
  type: 'object',
  required: ['order', 'country', 'card'],
  properties: { country: { type: 'string', pattern: '^[A-Z]{2}$' }, order: { type: 'integer' }, card: { type: 'string' } },
  additionalProperties: false,
}

inChromium((open) => {
  test('an edit that breaks the schema of its source is marked at the very line, is refused by the server too, and goes when it is mended', async () => {
    const shop = await aShop({ schema })
    await shop.order(1, 'XX')
    await shop.untilOpen(1)
    const { page, wrongs } = await openAs(open, shop, { reveal: true }, '/letters/1/edit')
    await page.getByRole('button', { name: 'Reveal and edit' }).click()
    const [body, keep] = [page.getByLabel('Body'), page.getByRole('button', { name: 'Keep the edit' })]
    const remarks = page.getByTestId('remark')
    await page.getByText('✓ It is as its schema wants it.').waitFor()

    const before = await body.innerText()
    await writeOver(body, before.replace('"XX"', '"Germany"').replace('"order": 1', '"order": "1", "gift": true'))
    await expect
      .poll(() => remarks.allInnerTexts())
      .toEqual([
        '✕ The schema says: must be integer.',
        '✕ The schema says: must NOT have additional properties.',
        '✕ The schema says: must match pattern "^[A-Z]{2}$".',
      ])
    expect(await body.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('.redrive-bad').allInnerTexts()).toEqual(['"order": "1"', '"gift": true', '"country": "Germany"'])
    await page.getByText('It breaks its schema in 3 places').waitFor()
    expect(await keep.getAttribute('aria-disabled')).toBe('true')

    // Whoever goes past the page is refused as well, in words that hold nothing of the payload.
    const refused = await page.evaluate(`(async () => {
      const etag = (await fetch('/api/v1/letters/1')).headers.get('etag')
      const body = JSON.stringify({ body: { text: '{"order":1,"country":"Germany","card":"4111"}' } })
      const headers = { 'content-type': 'application/json', 'if-match': etag, 'idempotency-key': crypto.randomUUID() }
      const answer = await fetch('/api/v1/letters/1/edits', { method: 'POST', headers, body })
      return { status: answer.status, problem: await answer.json() }
    })()`)
    expect(refused).toMatchObject({ status: 422, problem: { code: 'breaks-schema' } })
    expect(JSON.stringify(refused)).toContain('#/properties/country/pattern must match pattern')
    expect(JSON.stringify(refused)).not.toMatch(/Germany|4111/)

    await writeOver(body, before.replace('"XX"', '"AT"'))
    await page.getByText('✓ It is as its schema wants it.').waitFor()
    await expect.poll(() => remarks.count()).toBe(0)
    await keep.click()
    await page.getByRole('heading', { name: 'Replay letters' }).waitFor()
    expect((await shop.plane.letters.show(1)).edits).toHaveLength(1)
    expect(await wrongs()).toEqual([])
  })

  test('without a schema nothing is claimed about a text', async () => {
    const shop = await aShop()
    await shop.order(1, 'XX')
    await shop.untilOpen(1)
    const { page } = await openAs(open, shop, { reveal: true }, '/letters/1/edit')
    await page.getByRole('button', { name: 'Reveal and edit' }).click()
    await page.getByText('There is no schema to compare it with.').waitFor()
    await writeOver(page.getByLabel('Body'), '{}')
    await page.getByRole('button', { name: 'Keep the edit' }).click()
    await page.getByRole('heading', { name: 'Replay letters' }).waitFor()
  })
})

import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Waits until the page is told what happens from now on. What happened before it listened for the first time is not told. */
export async function itListens(page: Page): Promise<void> {
  await page.getByText(/Live$/).first().waitFor()
}

/** Waits until the number that stands on every screen is this one. */
export async function theNumberIs(page: Page, number: number): Promise<void> {
  await page
    .getByTestId('the-number')
    .filter({ hasText: new RegExp(`^${number}(?!\\d)`) })
    .waitFor()
}

/** The colour of the number, as one that has a name in the design. */
export async function theNumberLooks(page: Page, meaning: 'bad' | 'good' | 'warn'): Promise<void> {
  const number = page.getByTestId('the-number').locator('span').first()
  await expect.poll(() => number.getAttribute('class')).toContain(`text-${meaning}`)
}

/** Waits until a replay has this many letters in a state. */
export async function theReplayCounts(page: Page, state: string, count: number): Promise<void> {
  await page
    .locator(`[data-testid="counts"] [data-state="${state}"] strong`)
    .filter({ hasText: new RegExp(`^${count}$`) })
    .waitFor()
}

import type { Page } from 'playwright-core'

interface Step {
  readonly from: { readonly path: string; readonly sign: string }
  readonly act: (page: Page) => Promise<void>
}

const inbox = { path: '/', sign: 'Sorted by' }
const letters = { path: '/letters?filter=state:open', sign: '200 letters so far' }

/** What operators do all day, within one page, so that the browser's count of waits goes on. */
export const steps: Readonly<Record<string, Step>> = {
  'only looking at the overview': { from: { path: '/overview', sign: 'a bar of full height' }, act: async () => undefined },
  'only looking at the inbox': { from: inbox, act: async () => undefined },
  'through the inbox by keys, selecting': {
    from: inbox,
    act: async ({ keyboard }) => {
      for (let row = 0; row < 20; row++) {
        await keyboard.press('j')
        if (row % 4 === 0) await keyboard.press('x')
      }
    },
  },
  'sorting the inbox': {
    from: inbox,
    act: async (page) => {
      for (const sort of ['most letters', 'oldest', 'newest']) await page.getByLabel('Sorted by').selectOption(sort)
      await page.getByRole('table', { name: 'Causes' }).getByRole('checkbox').first().click()
    },
  },
  'filtering the inbox': {
    from: inbox,
    act: async (page) => {
      await page.getByLabel('Only causes with letters that match').click()
      await page.keyboard.type('channel:orders.7')
      await page.keyboard.press('Enter')
      await page.getByText('match', { exact: false }).first().waitFor()
    },
  },
  'opening a cause': {
    from: inbox,
    act: async (page) => {
      await page.getByRole('table', { name: 'Causes' }).getByRole('link').first().click()
      await page.getByText('What they have in common').waitFor()
    },
  },
  'through letters by keys': {
    from: letters,
    act: async ({ keyboard }) => {
      for (let row = 0; row < 60; row++) await keyboard.press('j')
    },
  },
  'filtering letters': {
    from: letters,
    act: async (page) => {
      await page.getByLabel('Filter').fill('')
      await page.getByLabel('Filter').click()
      await page.keyboard.type('state:open "declined by the bank"')
      await page.keyboard.press('Enter')
      await page.getByText('200 letters so far').waitFor()
    },
  },
  'scrolling letters, then ticking one': {
    from: letters,
    act: async (page) => {
      await page.mouse.move(700, 500)
      for (let turns = 0; turns < 80; turns++) await page.mouse.wheel(0, 700)
      await page.getByRole('table', { name: 'Letters' }).getByRole('checkbox').nth(20).click()
    },
  },
  'opening a letter': {
    from: letters,
    act: async (page) => {
      await page.getByRole('table', { name: 'Letters' }).getByRole('link').first().click()
      await page.getByText('What happened').waitFor()
    },
  },
}

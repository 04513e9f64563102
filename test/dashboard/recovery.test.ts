import { test } from 'vitest'
import { aShop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { recover } from './recovery-story.ts'

inChromium((open) => {
  test('a newcomer comes in by the link, sees red, looks, reveals, edits, compares, replays with a canary, and sees green', async () => {
    await recover(open, await aShop())
  })
})

import type { Page } from 'playwright-core'
import { machineTime, othersShare } from '../machine.ts'

/** What a person feels of a page. */
export interface Felt {
  /** Keys and clicks. */
  readonly interactions: number
  /** The longest wait from one of them to what is painted next. Milliseconds, in steps of 8; waits below 16 count as none. */
  readonly longest: number
  /** Interaction to next paint as it is defined: the longest wait, where one of each fifty is left out. */
  readonly nextPaint: number
  /** Where the longest one went: until the page began with it, while the page worked, and until that was painted. Milliseconds. */
  readonly spent: Spent
  /** How much moved that nobody moved, as browsers add it up. */
  readonly shift: number
  /** Which share of the machine others had meanwhile, from 0 to 1; not a number where nobody knows. */
  readonly others: number
}

export interface Spent {
  readonly waiting: number
  readonly working: number
  readonly painting: number
}

/** Runs in the page: the browser's own measurements, from the first moment on. */
const measuring = `
  globalThis.felt ??= (() => {
    const felt = { events: [], shift: 0 }
    new PerformanceObserver((list) => {
      for (const { interactionId, duration, startTime, processingStart, processingEnd } of list.getEntries()) {
        if (interactionId === 0) continue
        const [waiting, working] = [processingStart - startTime, processingEnd - processingStart]
        felt.events.push({ interactionId, duration, spent: { waiting, working, painting: duration - waiting - working } })
      }
    }).observe({ type: 'event', durationThreshold: 16 })
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) felt.shift += value
    }).observe({ type: 'layout-shift' })
    return felt
  })()
`

/** After so long everything that an interaction led to has been painted, and what is live has come a few times. */
const settling = 3000

export async function watchPage(page: Page): Promise<{ during(act: () => Promise<void>): Promise<Felt> }> {
  await page.evaluate(measuring)
  return {
    async during(act) {
      const since = machineTime()
      await page.evaluate('felt.events.length = 0; felt.shift = 0; felt.before = performance.interactionCount')
      await act()
      await page.waitForTimeout(settling)
      const { events, shift, interactions } = await page.evaluate<Measured>(
        '({ ...felt, interactions: performance.interactionCount - felt.before })',
      )
      const worst = events.toSorted((one, other) => other.duration - one.duration)[0]
      return {
        interactions,
        longest: worst?.duration ?? 0,
        nextPaint: nextPaintOf(events, interactions),
        spent: worst?.spent ?? { waiting: 0, working: 0, painting: 0 },
        shift,
        others: othersShare(since),
      }
    },
  }
}

interface MeasuredEvent {
  readonly interactionId: number
  readonly duration: number
  readonly spent: Spent
}

interface Measured {
  readonly events: readonly MeasuredEvent[]
  readonly shift: number
  readonly interactions: number
}

/** One of each fifty may have met something that is not of the page. */
const forgiven = 50

/** A key that is pressed and let go is one interaction, as long as the longer of both. */
function nextPaintOf(events: readonly MeasuredEvent[], interactions: number): number {
  const longest = new Map<number, number>()
  for (const { interactionId, duration } of events)
    longest.set(interactionId, Math.max(duration, longest.get(interactionId) ?? 0))
  const sorted = [...longest.values()].toSorted((one, other) => other - one)
  return sorted[Math.floor(interactions / forgiven)] ?? 0
}

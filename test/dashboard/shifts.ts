import type { Page } from 'playwright-core'

/**
 * Which pieces of the page move from now on. A browser leaves out what moves right after a key; here that counts too. Words that follow a number
 * within a line are no piece: they make room for its digits.
 */
export async function watchShifts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(watching)
  return () => page.evaluate<readonly string[]>('shifts()')
}

/** Runs in the page. */
const watching = `
  globalThis.shifts = (() => {
    const moved = []
    const note = (list) => {
      for (const { sources } of list)
        for (const { node, previousRect: from, currentRect: to } of sources)
          if (node?.nodeType !== Node.TEXT_NODE) moved.push([node?.nodeName, node?.className, node?.textContent?.slice(0, 40), from.x, from.y, from.width, 'to', to.x, to.y, to.width].join(' '))
    }
    const observer = new PerformanceObserver((list) => note(list.getEntries()))
    observer.observe({ type: 'layout-shift' })
    return () => {
      note(observer.takeRecords())
      return moved
    }
  })()
`

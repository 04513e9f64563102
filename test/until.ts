import { setTimeout as sleep } from 'node:timers/promises'

/** Bounds what hangs, and not what is slow. Milliseconds. */
const patience = 120_000

/**
 * For what happens in another process or on a broker, and of which nobody tells: asks again and again until it holds. Ends with what was waited
 * for where it never does; a question that cannot be answered yet is asked again.
 */
export async function until(what: string, holds: () => Promise<boolean> | boolean, within: number = patience): Promise<void> {
  const deadline = performance.now() + within
  for (;;) {
    let cause: unknown
    try {
      if (await holds()) return
    } catch (error) {
      cause = error
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${within} ms.`, { cause })
    await sleep(20)
  }
}

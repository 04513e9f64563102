import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until nothing is left, or nothing has happened for so long that nothing will; tells what is left. */
export async function untilNothing(leftToDo: () => Promise<number>, limit: number): Promise<number> {
  let [fewest, since] = [Number.POSITIVE_INFINITY, performance.now()]
  while (fewest > 0 && performance.now() - since < limit) {
    // A broker that is just starting cannot be asked.
    const left = await leftToDo().catch(() => Number.POSITIVE_INFINITY)
    if (left < fewest) [fewest, since] = [left, performance.now()]
    if (fewest > 0) await sleep(100)
  }
  return fewest
}

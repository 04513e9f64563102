import type { Clock } from '../core/ports.ts'

/** A source that cannot be reached is asked every few seconds: its problem is told when it is new, and then this often. Milliseconds. */
const againAfter = 10 * 60_000

/** Tells what is wrong with something, once for as long as nothing else is. */
export function toldOnce(clock: Clock, tell: (problem: string) => void): (about: string, problem: string) => void {
  const told = new Map<string, { readonly problem: string; readonly at: number }>()
  return (about, problem) => {
    const last = told.get(about)
    const now = clock.monotonic()
    const isOld = last?.problem === problem
    if (isOld && now - last.at < againAfter) return
    told.set(about, { problem, at: now })
    tell(`${about}: ${isOld ? 'still ' : ''}${problem}`)
  }
}

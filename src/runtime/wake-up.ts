/** Lets one loop sleep until there may be something to do. A call that comes before the wait is not lost. */
export interface WakeUp {
  wait(): Promise<void>
  call(): void
}

export function createWakeUp(): WakeUp {
  let called = false
  let waiting: (() => void) | undefined
  return {
    async wait() {
      if (!called) await new Promise<void>((resolve) => (waiting = resolve))
      called = false
      waiting = undefined
    },
    call() {
      called = true
      waiting?.()
    },
  }
}

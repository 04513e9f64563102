/** Counts what was sent and has no answer, so that whoever closes can wait for the last one. */
export interface Unanswered {
  began(): void
  ended(): void
  /** Resolves when nothing is waited for; what begins meanwhile is waited for as well. */
  none(): Promise<void>
}

export function createUnanswered(): Unanswered {
  let count = 0
  let last: PromiseWithResolvers<void> | undefined
  return {
    began() {
      count++
    },
    ended() {
      if (--count > 0) return
      last?.resolve()
      last = undefined
    },
    async none() {
      while (count > 0) {
        last ??= Promise.withResolvers()
        await last.promise
      }
    },
  }
}

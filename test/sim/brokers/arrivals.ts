/** Tells those who wait for a channel that something may have arrived there. */
export interface Arrivals {
  listen(wake: () => void): () => void
  tell(): void
}

export function createArrivals(): Arrivals {
  const waiting = new Set<() => void>()
  return {
    listen(wake) {
      waiting.add(wake)
      return () => void waiting.delete(wake)
    },
    tell() {
      for (const wake of [...waiting]) if (waiting.has(wake)) wake()
    },
  }
}

/** What the world does to a payment. */
export interface Fate {
  /** How often the acquirer does not answer before it does; `Infinity` when it never will. */
  readonly silences: number
  /** The account behind the payment is closed, and no retry will open it. */
  readonly accountClosed: boolean
  readonly currency: string
  readonly amountCents: number
  /** How long one settlement takes. */
  readonly milliseconds: number
}

/** The same seed and number give the same fate, on every machine. Of a hundred payments about eighty settle at once. */
export function fateOf(seed: number, number: number): Fate {
  const draw = (salt: number): number => mix(seed, number, salt)
  const luck = draw(1) % 100
  return {
    silences: luck < 6 ? Number.POSITIVE_INFINITY : luck < 10 ? 2 : luck < 18 ? 1 : 0,
    accountClosed: luck === 18,
    currency: luck === 19 ? 'XTS' : luck % 2 === 0 ? 'EUR' : 'USD',
    amountCents: 100 + (draw(2) % 100_000),
    milliseconds: 5 + (draw(3) % 40),
  }
}

/** Three small numbers in, one large number out that looks like chance. */
function mix(...parts: readonly number[]): number {
  let hash = 0x811c9dc5
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 0x01000193)
    hash ^= hash >>> 15
    hash = Math.imul(hash, 0x85ebca6b)
    hash ^= hash >>> 13
  }
  return hash >>> 0
}

import type { Ask } from './admin.ts'

/** Exchanges of the user's that are known to be there. */
export interface Ways {
  /**
   * Rejects with `unknown-channel` when there is no such exchange. A publish to one that is missing ends the channel, and of all that are on it
   * nobody would know what became of them.
   */
  prepare(exchange: string): Promise<void>
  /** Something is missing, or may be: look again before the next use. */
  forget(): void
}

export function createWays(ask: Ask): Ways {
  const known = new Map<string, Promise<void>>()

  function look(exchange: string): Promise<void> {
    const looking = ask(`exchange "${exchange}"`, async (channel) => void (await channel.checkExchange(exchange)))
    looking.catch(() => known.delete(exchange))
    known.set(exchange, looking)
    return looking
  }

  return {
    // The default exchange is always there, and cannot be asked for.
    prepare: (exchange) => (exchange === '' ? Promise.resolve() : (known.get(exchange) ?? look(exchange))),
    forget: () => known.clear(),
  }
}

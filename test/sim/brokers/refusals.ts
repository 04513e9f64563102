import type { Faults } from '../../../src/transports/memory/memory.ts'

/** Channels that refuse, for every connection there is and will be. */
export interface Refusals {
  /** A connection with these faults meets every refusal from now on. */
  reach(faults: Faults): void
  begin(channel: string): () => void
}

export function createRefusals(): Refusals {
  const connections = new Set<Faults>()
  const refused = new Set<string>()
  return {
    reach(faults) {
      connections.add(faults)
      for (const channel of refused) faults.refuse(channel)
    },
    begin(channel) {
      refused.add(channel)
      const endings = [...connections].map((faults) => faults.refuse(channel))
      return () => {
        refused.delete(channel)
        for (const end of endings) end()
      }
    },
  }
}

import { hasCode } from '../core/errors.ts'
import type { Arrival } from '../vault/arrival.ts'
import type { Ingest, Ingested } from '../vault/operations/ingest.ts'
import type { Vault } from '../vault/vault.ts'

/**
 * Keeps all of them, whatever stands in them. When the database does not take a batch, half of it is tried, down to the one letter that is to
 * blame; of that one, its content is kept and nothing that was read from it. It would otherwise block its source for ever.
 */
export async function ingestAll(vault: Vault, batch: Ingest): Promise<Ingested> {
  try {
    return await vault.write('ingest', batch)
  } catch (error) {
    // Where there is nothing to divide, it was no letter that failed.
    if (!hasCode(error, 'store-failed') || batch.arrivals.length === 0) throw error
    const { arrivals, ...rest } = batch
    if (arrivals.length === 1)
      return vault.write('ingest', { ...rest, arrivals: arrivals.map((arrival) => unread(arrival, batch.now)) })
    const middle = Math.ceil(arrivals.length / 2)
    const { position: _, ...first } = rest
    const one = await ingestAll(vault, { ...first, arrivals: arrivals.slice(0, middle) })
    const other = await ingestAll(vault, { ...rest, arrivals: arrivals.slice(middle) })
    return {
      letters: [...one.letters, ...other.letters],
      reopenedCauses: [...one.reopenedCauses, ...other.reopenedCauses],
    }
  }
}

function unread({ identity, cause, broker, channel, envelope, body }: Arrival, now: number): Arrival {
  return {
    identity,
    cause,
    broker,
    channel,
    dialect: 'unreadable',
    confidence: 'none',
    generation: 0,
    failedAt: now,
    envelope,
    body,
    text: { failure: '', headers: '' },
  }
}

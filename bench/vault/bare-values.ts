import type { Arrival } from '../../src/vault/arrival.ts'

/** What a letter is to whoever inserts rows by hand, in the order of the columns: all but its source and its state. */
export function bareValues(arrival: Arrival): (string | number | null | Uint8Array)[] {
  return [
    arrival.identity.bytes,
    arrival.failedAt,
    arrival.broker,
    Number.parseInt(arrival.errorType?.slice('Error'.length) ?? '0', 10),
    arrival.channel,
    arrival.dialect,
    arrival.confidence,
    arrival.reason ?? null,
    arrival.errorType ?? null,
    arrival.errorMessage ?? null,
    arrival.messageId ?? null,
    arrival.type ?? null,
    arrival.key ?? null,
    arrival.correlationId ?? null,
    arrival.service ?? null,
    arrival.version ?? null,
    arrival.letter ?? null,
    arrival.generation,
    arrival.attempts ?? null,
    arrival.failedAt,
    arrival.failedAt,
    arrival.body?.byteLength ?? 0,
  ]
}

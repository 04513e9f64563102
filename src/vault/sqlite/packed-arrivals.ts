import type { Arrival, Identity } from '../arrival.ts'
import type { Ingest, Ingested } from '../operations/ingest.ts'

/**
 * A batch of letters on its way to the thread that writes. Copied as they are, every letter would cost thirty names of fields and three buffers of
 * its own on either side, which is more than inserting it. Here the bytes of all letters are one buffer that changes hands uncopied, the
 * rest is one list, and a cause is there once, however many letters it has.
 */
export interface PackedIngest extends Omit<Ingest, 'arrivals'> {
  readonly causes: readonly Arrival['cause'][]
  readonly values: readonly Packable[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

type Packable = string | number | undefined

const texts = [
  'broker',
  'channel',
  'group',
  'originPosition',
  'dialect',
  'confidence',
  'reason',
  'errorType',
  'errorMessage',
  'messageId',
  'type',
  'key',
  'correlationId',
  'service',
  'version',
  'letter',
  'generation',
  'replay',
  'attempts',
  'failedAt',
  'position',
  'envelope',
] as const satisfies readonly (keyof Arrival)[]

const kinds = ['known', 'alike', 'alike-again'] as const

export function packIngest({ arrivals, ...rest }: Ingest): PackedIngest {
  const causes: Arrival['cause'][] = []
  const places = new Map<string, number>()
  const values: Packable[] = []
  const bytes = new Uint8Array(arrivals.reduce((sum, arrival) => sum + weight(arrival), 0))
  let end = 0

  function append(part: Uint8Array | null): void {
    values.push(part?.byteLength)
    if (part === null) return
    bytes.set(part, end)
    end += part.byteLength
  }

  for (const arrival of arrivals) {
    const { identity, cause } = arrival
    if (!places.has(cause.fingerprint)) places.set(cause.fingerprint, causes.push(cause) - 1)
    values.push(places.get(cause.fingerprint), kindOf(identity))
    for (const name of texts) values.push(arrival[name])
    values.push(arrival.text.failure, arrival.text.headers)
    append(identity.bytes)
    append(identity.kind === 'alike' ? identity.drawn : null)
    append(arrival.body)
  }
  return { ...rest, causes, values, bytes }
}

function weight({ identity, body }: Arrival): number {
  return identity.bytes.byteLength + (identity.kind === 'alike' ? identity.drawn.byteLength : 0) + (body?.byteLength ?? 0)
}

function kindOf(identity: Identity): number {
  return kinds.indexOf(identity.kind === 'known' ? 'known' : identity.deliveredBefore ? 'alike-again' : 'alike')
}

export function unpackIngest({ causes, values, bytes, ...rest }: PackedIngest): Ingest {
  const arrivals: Arrival[] = []
  let next = 0
  let start = 0
  const value = (): Packable => values[next++]

  function part(): Uint8Array | null {
    const length = value() as number | undefined
    if (length === undefined) return null
    start += length
    return bytes.subarray(start - length, start)
  }

  while (next < values.length) {
    const cause = causes[value() as number]
    const kind = kinds[value() as number]
    const named: Record<string, Packable> = {}
    for (const name of texts) named[name] = value()
    const text = { failure: value(), headers: value() }
    const [identity, drawn] = [part(), part()]
    const body = part()
    arrivals.push({ ...named, cause, identity: identityOf(kind, identity, drawn), text, body } as unknown as Arrival)
  }
  return { ...rest, arrivals }
}

function identityOf(kind: (typeof kinds)[number] | undefined, bytes: Uint8Array | null, drawn: Uint8Array | null): object {
  return kind === 'known' ? { kind, bytes } : { kind: 'alike', bytes, drawn, deliveredBefore: kind === 'alike-again' }
}

/** The answer: an id for each letter, and which of them were known. */
export interface PackedIngested extends Omit<Ingested, 'letters'> {
  readonly ids: Float64Array
  readonly duplicates: ReadonlySet<number>
}

export function packIngested({ letters, ...rest }: Ingested): PackedIngested {
  const duplicates = new Set([...letters.keys()].filter((index) => letters[index]?.duplicate))
  return { ...rest, ids: Float64Array.from(letters, ({ id }) => id), duplicates }
}

export function unpackIngested({ ids, duplicates, ...rest }: PackedIngested): Ingested {
  return { ...rest, letters: Array.from(ids, (id, index) => ({ id, duplicate: duplicates.has(index) })) }
}

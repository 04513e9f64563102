/** Where a body is not as its schema wants it. */
export interface SchemaMistake {
  /** A JSON pointer (RFC 6901) into the body. It may hold names that only the body has. */
  readonly at: string
  /** The rule that is broken, as a pointer into the schema: nothing of the body is in it. */
  readonly rule: string
  /** What the rule wants, in words of the schema alone. */
  readonly text: string
}

/** Compares a value of JSON with one schema. */
export type BodyCheck = (value: unknown) => readonly SchemaMistake[]

/** The checks of a source by the type of the message; `*` is for every type that is not named. */
export type BodyChecks = ReadonlyMap<string, BodyCheck>

export const anyType = '*'

export interface SchemaVerdict {
  /** Whether there is a schema for such a letter at all. */
  readonly hasSchema: boolean
  readonly mistakes: readonly SchemaMistake[]
}

const noJson: SchemaMistake = { at: '', rule: '#', text: 'must be JSON' }

/** A body that is none, a tombstone, says nothing that could be wrong. */
export function judgeBody(checks: BodyChecks | undefined, type: string | undefined, body: Uint8Array | null): SchemaVerdict {
  const check = (type === undefined ? undefined : checks?.get(type)) ?? checks?.get(anyType)
  if (!check) return { hasSchema: false, mistakes: [] }
  return { hasSchema: true, mistakes: body === null ? [] : mistakesIn(body, check) }
}

function mistakesIn(body: Uint8Array, check: BodyCheck): readonly SchemaMistake[] {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return [noJson]
  }
  return check(value)
}

/**
 * JSON whose numbers stay as they were written. A number of twenty digits, or `1.0`, is not the same text after `JSON.parse`, and nobody who
 * changes one member of a document expects another one to change with it.
 */
export type Json = null | boolean | number | string | readonly Json[] | ExactNumber | { readonly [name: string]: Json }

/** A number that JavaScript would write in another way, as its own text. */
export interface ExactNumber {
  readonly rawJSON: string
}

const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
}

/** Throws a `SyntaxError` for what is not JSON. */
export function parseExactly(text: string): Json {
  const revive = (_key: string, value: Json, { source }: { readonly source?: string }): Json =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value
  return JSON.parse(text, revive as (this: unknown, key: string, value: unknown) => unknown) as Json
}

export function printExactly(value: Json, indent?: number): string {
  return JSON.stringify(value, null, indent)
}

export function isExactNumber(value: Json): value is ExactNumber {
  return isRawJSON(value)
}

export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function isJsonObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value)
}

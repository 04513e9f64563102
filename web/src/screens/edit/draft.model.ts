import type { Content } from '../../api/letters.ts'
import { formatted } from '../letter/body.model.ts'
import { findJsonMistake } from './json-mistake.model.ts'

/** A header as it is edited: strings as they are, everything else as JSON. */
export interface DraftHeader {
  readonly name: string
  readonly value: string
  readonly isJson: boolean
}

export interface Draft {
  readonly body: string
  readonly headers: readonly DraftHeader[]
}

/** `undefined` where there is no text to edit: bytes, and what was cut. */
export function draftOf({ body, headers }: Content): Draft | undefined {
  if (body.kind !== 'text' || body.isCut) return undefined
  return {
    body: formatted(body.text) ?? body.text,
    headers: headers.map(([name, value]) =>
      typeof value === 'string' ? { name, value, isJson: false } : { name, value: JSON.stringify(value), isJson: true },
    ),
  }
}

/** Where a body is no JSON: a line that a person can find. */
export function jsonMistake(text: string): string | undefined {
  const mistake = findJsonMistake(text)
  return mistake && `Line ${lineOf(text, mistake.at)}: ${mistake.text}`
}

function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

export type HeaderValues = readonly [name: string, value: unknown][]

/** Headers as the API takes them, or the first that is wrong. */
export function headersOf(headers: readonly DraftHeader[]): HeaderValues | { readonly mistake: string } {
  const values: [string, unknown][] = []
  for (const { name, value, isJson } of headers) {
    if (name === '') return { mistake: 'A header has no name.' }
    try {
      values.push([name, isJson ? JSON.parse(value) : value])
    } catch {
      return { mistake: `The value of ${name} is no JSON.` }
    }
  }
  return values
}

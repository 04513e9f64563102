import type { Content } from '../../api/letters.ts'
import { formatted } from '../letter/body.model.ts'
import { findJsonMistake } from './json-mistake.model.ts'
import { lineBreakOf, withPlainBreaks } from './line-break.model.ts'

/** A header as it is edited: strings as they are, everything else as JSON. */
export interface DraftHeader {
  readonly name: string
  readonly value: string
  readonly isJson: boolean
}

export interface Draft {
  /** Its lines end as editors have it. */
  readonly body: string
  /** How they end where it is sent. */
  readonly lineBreak: string
  readonly headers: readonly DraftHeader[]
}

/** A draft, or why there is none: of bytes, and of a text of which something would be lost. */
export function draftOf({ body, headers }: Content): Draft | { readonly cannot: string } {
  if (body.kind !== 'text') return { cannot: 'It is no text.' }
  if (body.isCut) return { cannot: 'It is too long for a page.' }
  const inLines = formatted(body.text)
  const lineBreak = lineBreakOf(body.text) ?? (inLines === undefined ? undefined : '\n')
  if (lineBreak === undefined) return { cannot: 'Its lines end in several ways, which would be made one.' }
  return {
    lineBreak,
    body: withPlainBreaks(inLines ?? body.text),
    headers: headers.map(([name, value]) =>
      typeof value === 'string' ? { name, value, isJson: false } : { name, value: JSON.stringify(value), isJson: true },
    ),
  }
}

/** The body as it is sent. */
export function sentBody({ body, lineBreak }: Draft): string {
  return body.replaceAll('\n', lineBreak)
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

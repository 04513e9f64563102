import { InvalidArgumentError } from 'commander'
import { RedriveError } from '../core/errors.ts'
import type { Selection } from '../ops/control-plane.ts'

/** The number of a letter, a cause or a replay, or of how many. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Allowed: a whole number.')
}

/** A cause by its number, or by the beginning of its fingerprint, which is what alerts name. */
export type NamedCause = { readonly id: number } | { readonly fingerprint: string }

export function namedCause(text: string): NamedCause {
  if (/^\d{1,15}$/.test(text)) return { id: Number(text) }
  const [, fingerprint] = /^(?:cause:)?(?:v\d+:)?([0-9a-f]{4,64})$/.exec(text) ?? []
  if (fingerprint !== undefined) return { fingerprint }
  throw new InvalidArgumentError('Allowed: a whole number, or the beginning of a fingerprint such as 3f2a.')
}

export function atLeastOne(text: string): number {
  const number = wholeNumber(text)
  if (number >= 1) return number
  throw new InvalidArgumentError('Allowed: a whole number from 1.')
}

export function numbers(text: string): readonly number[] {
  return text.split(',').map((part) => wholeNumber(part.trim()))
}

export function decimal(text: string): number {
  if (/^\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Allowed: a number such as 50 or 0.5.')
}

export function repeated(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text]
}

export const filterArgument: readonly [name: string, description: string] = [
  '[filter...]',
  'which letters, such as: state:open channel:orders.* (docs/filters.md)',
]

export const lettersOption: readonly [flags: string, description: string, parse: typeof numbers] = [
  '--letters <ids>',
  'which letters, by their ids, such as 1,2,3',
  numbers,
]

/** What changes letters is never meant for all of them by accident. */
export function selectionOf(filter: readonly string[], letters: readonly number[] | undefined): Selection {
  const text = filter.join(' ').trim()
  if (letters && text !== '') throw new RedriveError('bad-option', 'Give a filter or --letters, and not both.')
  if (letters) return { letters }
  if (text !== '') return { filter: text }
  throw new RedriveError('bad-option', 'Say which letters: a filter such as state:open, or --letters 1,2,3.')
}

import { visible } from '../../../src/core/visible.ts'

/** What strangers wrote, in one line: characters that act on the reader's eye instead of being seen are written out. */
export function seen(text: string): string {
  return visible(text)
}

/** The same for a text of several lines. */
export function seenLines(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((piece, index) => (index % 2 === 1 ? piece : visible(piece)))
    .join('')
}

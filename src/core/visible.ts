/**
 * Characters that act on a terminal, a log or a reader's eye instead of being seen: control characters (and with them ANSI
 * escapes), line separators, marks that turn the direction of writing, characters of no width, tag characters, and halves of
 * surrogate pairs, which no encoding can carry.
 */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Writes what cannot be seen as an escape that can. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => shortForms[character] ?? escaped(character))
}

/** The same in JSON, with escapes that whoever reads it undoes. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(unseen, (character) => character.split('').map(jsonEscape).join(''))
}

function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

import { utf8Length } from './headers.ts'

const ellipsis = '…'

/** The text, or as much of its beginning as fits into so many UTF-16 units with an ellipsis behind it. Never splits a character. */
export function cutToLength(text: string, limit: number): string {
  if (text.length <= limit) return text
  if (limit < ellipsis.length) return ''
  return upTo(text, limit - ellipsis.length) + ellipsis
}

/** The same for a limit in bytes of UTF-8. */
export function cutToBytes(text: string, limit: number): string {
  // No unit of UTF-16 takes more than three bytes.
  if (text.length * 3 <= limit || (text.length <= limit && utf8Length(text) <= limit)) return text
  let room = limit - utf8Length(ellipsis)
  if (room < 0) return ''
  let end = 0
  for (const character of text) {
    room -= utf8Length(character)
    if (room < 0) break
    end += character.length
  }
  return text.slice(0, end) + ellipsis
}

function upTo(text: string, end: number): string {
  const code = text.charCodeAt(end - 1)
  const splitsPair = code >= 0xd800 && code < 0xdc00
  return text.slice(0, splitsPair ? end - 1 : end)
}

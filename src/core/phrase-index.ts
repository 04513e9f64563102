/** Six characters in a row are a phrase. Shorter ones are too common to say anything. */
export const phraseLength = 6

/** Stands in no phrase: it marks where texts were joined or cut. Unicode keeps this character free for such uses. */
export const gap = '\uffff'

const filterBits = 13
const pairBits = 14
/** Where the last two characters stand in no phrase, none can end before one of them has been left behind. */
const longestJump = phraseLength - 1

/**
 * A test whether a text holds one of the phrases of another one, or `undefined` where that has none. A phrase holds a letter or a
 * digit: six spaces, dashes or brackets say nothing.
 *
 * Indexing and testing take time in proportion to the texts, whatever they hold. The test jumps: two characters tell how far the
 * nearest end of a phrase can be, and in most texts that is five further. Where it may be here, a filter turns nearly every
 * position away; only what passes is compared with the phrases themselves, which are cut out of the text when that is needed for
 * the first time.
 */
export function phraseTest(indexed: string): ((text: string) => boolean) | undefined {
  const ends = phraseEnds(indexed)
  if (ends.length === 0) return undefined
  const filter = filterOf(indexed, ends)
  const jumps = jumpsOf(indexed, ends)
  let phrases: ReadonlySet<string> | undefined
  return (text) => {
    for (let end = phraseLength - 1; end < text.length; ) {
      const jump = jumps[pairSlot(text, end)] ?? 0
      if (jump > 0) end += jump
      else if (filter[phraseSlot(text, end)] === 0) end++
      else {
        phrases ??= new Set(ends.map((each) => phraseAt(indexed, each)))
        if (phrases.has(phraseAt(text, end++))) return true
      }
    }
    return false
  }
}

function phraseAt(text: string, end: number): string {
  return text.slice(end + 1 - phraseLength, end + 1)
}

/** Where the phrases of a text end. */
function phraseEnds(text: string): readonly number[] {
  const ends: number[] = []
  let lastGap = -1
  let lastWord = -1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0xffff) lastGap = i
    else if (isWordCharacter(code)) lastWord = i
    const start = i + 1 - phraseLength
    if (start > lastGap && lastWord >= start) ends.push(i)
  }
  return ends
}

function isWordCharacter(code: number): boolean {
  if (code < 0x80) return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  const halfOfPair = code >= 0xd800 && code < 0xe000
  return halfOfPair || /[\p{L}\p{N}]/u.test(String.fromCharCode(code))
}

function filterOf(text: string, ends: readonly number[]): Uint8Array {
  const filter = new Uint8Array(1 << filterBits)
  for (const end of ends) filter[phraseSlot(text, end)] = 1
  return filter
}

/** For every pair of characters, how far behind it a phrase that holds it can end at the nearest. */
function jumpsOf(text: string, ends: readonly number[]): Uint8Array {
  const jumps = new Uint8Array(1 << pairBits).fill(longestJump)
  for (const end of ends) {
    for (let behind = 0; behind < longestJump; behind++) {
      const slot = pairSlot(text, end - behind)
      if (behind < (jumps[slot] ?? 0)) jumps[slot] = behind
    }
  }
  return jumps
}

function pairSlot(text: string, end: number): number {
  return Math.imul((text.charCodeAt(end - 1) << 16) | text.charCodeAt(end), 0x9e37_79b1) >>> (32 - pairBits)
}

function phraseSlot(text: string, end: number): number {
  let mixed = 0
  for (let at = end + 1 - phraseLength; at <= end; at++) mixed = (mixed << 5) + text.charCodeAt(at)
  return Math.imul(mixed, 0x9e37_79b1) >>> (32 - filterBits)
}

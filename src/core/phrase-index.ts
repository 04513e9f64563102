/** Six characters in a row are a phrase. Shorter ones are too common to say anything. */
export const phraseLength = 6

/** Stands in no phrase: it marks where texts were joined or cut. Unicode keeps this character free for such uses. */
export const gap = '\uffff'

/** Finds the phrases of one text in others, which are folded as that one is: in capitals. */
export interface PhraseIndex {
  isQuotedIn(text: string): boolean
  /** The same for a text as its bytes, all of them ASCII, in whatever letter case. */
  isQuotedInAscii(bytes: Uint8Array): boolean
}

const filterBits = 13
/** Where the last two characters stand in no phrase, none can end before one of them has been left behind. */
const longestJump = phraseLength - 1

/**
 * The phrases of a text, or `undefined` where it has none. A phrase holds a letter or a digit: six spaces, dashes or brackets say
 * nothing.
 *
 * Indexing and searching take time in proportion to the texts, whatever they hold. The search jumps: two characters tell how far the
 * nearest end of a phrase can be, and in most texts that is five further. Where it may be here, a filter turns nearly every
 * position away; only what passes is compared with the phrases themselves, which are cut out of the text when that is needed for
 * the first time.
 */
export function phraseIndex(indexed: string): PhraseIndex | undefined {
  const ends = phraseEnds(indexed)
  if (ends.length === 0) return undefined
  let phrases: ReadonlySet<string> | undefined
  const isPhrase = (candidate: string): boolean => {
    phrases ??= new Set(ends.map((end) => phraseAt(indexed, end)))
    return phrases.has(candidate)
  }
  return {
    isQuotedIn(text) {
      layOut(indexed, ends)
      for (let end = phraseLength - 1; end < text.length; ) {
        const jump = jumps[pairSlot(text.charCodeAt(end - 1), text.charCodeAt(end))] ?? 0
        // Said twice, so that a processor that guesses right need not wait for the table before it looks at the next place.
        if (jump === longestJump) end += longestJump
        else if (jump > 0) end += jump
        else if (filter[phraseSlot(text, end)] === 0) end++
        else if (isPhrase(phraseAt(text, end++))) return true
      }
      return false
    },
    isQuotedInAscii(bytes) {
      layOut(indexed, ends)
      for (let end = phraseLength - 1; end < bytes.length; ) {
        const jump = jumps[pairSlot(bytes[end - 1] ?? 0, bytes[end] ?? 0)] ?? 0
        if (jump === longestJump) end += longestJump
        else if (jump > 0) end += jump
        else {
          const candidate = capitals(bytes, end++)
          if (filter[phraseSlot(candidate, longestJump)] !== 0 && isPhrase(candidate)) return true
        }
      }
      return false
    },
  }
}

function phraseAt(text: string, end: number): string {
  return text.slice(end + 1 - phraseLength, end + 1)
}

/** The six bytes that end there, as they are compared. */
function capitals(bytes: Uint8Array, end: number): string {
  const at = end + 1 - phraseLength
  const code = (offset: number): number => bytes[at + offset] ?? 0
  return String.fromCharCode(code(0), code(1), code(2), code(3), code(4), code(5)).toUpperCase()
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

/**
 * The tables of one text at a time, and the places in them that are taken: to empty and fill these is a moment's work, and new tables would be
 * 24 KiB for every error that says something new.
 */
const filter = new Uint8Array(1 << filterBits)
/** For every pair of characters, how far behind it a phrase that holds it can end at the nearest. */
const jumps = new Uint8Array(1 << 14).fill(longestJump)
const takenInFilter: number[] = []
const takenInJumps: number[] = []
let laidOut: string | undefined

function layOut(indexed: string, ends: readonly number[]): void {
  if (laidOut === indexed) return
  for (const slot of takenInFilter) filter[slot] = 0
  for (const slot of takenInJumps) jumps[slot] = longestJump
  takenInFilter.length = takenInJumps.length = 0
  let before = 0
  for (const end of ends) {
    layPhrase(phraseSlot(indexed, end))
    for (let at = Math.max(before + 1, end + 1 - longestJump); at <= end; at++) {
      layPair(pairSlot(indexed.charCodeAt(at - 1), indexed.charCodeAt(at)), end - at)
    }
    before = end
  }
  laidOut = indexed
}

function layPhrase(slot: number): void {
  filter[slot] = 1
  takenInFilter.push(slot)
}

function layPair(slot: number, distance: number): void {
  if (distance < (jumps[slot] ?? 0)) jumps[slot] = distance
  takenInJumps.push(slot)
}

/** Without the bit in which a capital differs from its letter. Characters that share a place only make the search look closer. */
function pairSlot(one: number, other: number): number {
  return ((one & 0x5f) << 7) | (other & 0x5f)
}

function phraseSlot(text: string, end: number): number {
  let mixed = 0
  for (let at = end + 1 - phraseLength; at <= end; at++) mixed = (mixed << 5) + text.charCodeAt(at)
  return Math.imul(mixed, 0x9e37_79b1) >>> (32 - filterBits)
}

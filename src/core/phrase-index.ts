/** Six characters in a row are a phrase. Shorter ones are too common to say anything. */
export const phraseLength = 6

/** Stands in no phrase: it marks where texts were joined or cut. Unicode keeps this character free for such uses. */
export const gap = '\uffff'

const filterBits = 13

/**
 * A test whether a text holds one of the phrases of another one, or `undefined` where that has none. A phrase holds a letter or a
 * digit: six spaces, dashes or brackets say nothing.
 *
 * Indexing and testing take time in proportion to the texts, whatever they hold. A filter turns nearly every position away by
 * two look-ups in a small array; only what passes both is compared with the phrases themselves, which are cut out of the text
 * when that is needed for the first time.
 */
export function phraseTest(indexed: string): ((text: string) => boolean) | undefined {
  const filter = new Uint8Array(1 << filterBits)
  const ends = phraseEnds(indexed)
  if (ends.length === 0) return undefined
  fill(filter, indexed, ends)
  let phrases: ReadonlySet<string> | undefined
  return (text) => {
    let rolling = 0
    for (let i = 0; i < text.length; i++) {
      rolling = rolled(rolling, text.charCodeAt(i))
      if (!passes(filter, rolling)) continue
      phrases ??= new Set(ends.map((end) => phraseAt(indexed, end)))
      if (phrases.has(phraseAt(text, i))) return true
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

function fill(filter: Uint8Array, text: string, ends: readonly number[]): void {
  let rolling = 0
  let next = 0
  for (const end of ends) {
    while (next <= end) rolling = rolled(rolling, text.charCodeAt(next++))
    filter[firstSlot(rolling)] = (filter[firstSlot(rolling)] ?? 0) | 1
    filter[secondSlot(rolling)] = (filter[secondSlot(rolling)] ?? 0) | 2
  }
}

function passes(filter: Uint8Array, rolling: number): boolean {
  return ((filter[firstSlot(rolling)] ?? 0) & 1) !== 0 && ((filter[secondSlot(rolling)] ?? 0) & 2) !== 0
}

/** Thirty bits, five of them pushed out by each character: what is left depends on the last six characters and on nothing else. */
function rolled(rolling: number, code: number): number {
  return ((rolling << 5) + code) & 0x3fff_ffff
}

function firstSlot(rolling: number): number {
  return Math.imul(rolling, 0x9e37_79b1) >>> (32 - filterBits)
}

function secondSlot(rolling: number): number {
  return Math.imul(rolling, 0x85eb_ca6b) >>> (32 - filterBits)
}

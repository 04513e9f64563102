/**
 * SHA-256 of a text in UTF-8, as hexadecimal. Written out, because this folder may not lean on what only one runtime has, and what
 * browsers and Node share answers with a promise. For short texts that need a name, not for bodies.
 */
export function sha256(text: string): string {
  const state = initialState.slice()
  const words = new Uint32Array(64)
  const bytes = padded(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < bytes.length; at += 64) {
    expand(words, view, at)
    mix(state, words)
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

const primes = firstPrimes(64)
/** The first 32 bits of the fractional parts of the square roots, and of the cube roots, of the first primes. */
const initialState = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const roundConstants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))

function firstPrimes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32)
}

/** The bytes, a one bit, zeros, and the number of bits in the last eight bytes, in blocks of 64. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  blocks.set(bytes)
  blocks[bytes.length] = 0x80
  new DataView(blocks.buffer).setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n)
  return blocks
}

function expand(words: Uint32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4)
  for (let i = 16; i < 64; i++) {
    const early = word(words, i - 15)
    const late = word(words, i - 2)
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    words[i] = word(words, i - 16) + small + word(words, i - 7) + large
  }
}

function mix(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g)
    const first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + word(roundConstants, i) + word(words, i)
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = word(state, i) + value
}

function turned(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits))
}

function word(words: Uint32Array, index: number): number {
  return words[index] ?? 0
}

const alphabet = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const padding = 0x3d
const ascii = new TextDecoder('latin1')

/** Base64 with padding. Written out, because this folder may not lean on what only one runtime has. */
export function base64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding)
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const left = bytes.length - from
    const group = (at(bytes, from) << 16) | (at(bytes, from + 1) << 8) | at(bytes, from + 2)
    out[to] = at(alphabet, group >> 18)
    out[to + 1] = at(alphabet, (group >> 12) & 63)
    if (left > 1) out[to + 2] = at(alphabet, (group >> 6) & 63)
    if (left > 2) out[to + 3] = at(alphabet, group & 63)
  }
  return ascii.decode(out)
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}

/** The bytes of a base64 text, with or without its padding; `undefined` for what is none. */
export function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/\s+/g, '').replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return undefined
  const out = new Uint8Array(Math.floor((plain.length * 3) / 4))
  for (let from = 0, to = 0; from < plain.length; from += 4, to += 3) {
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => alphabet.indexOf(plain.charCodeAt(from + index)))
    const group = ((a ?? 0) << 18) | ((b ?? 0) << 12) | (Math.max(0, c ?? 0) << 6) | Math.max(0, d ?? 0)
    out.set([group >> 16, (group >> 8) & 255, group & 255].slice(0, out.length - to), to)
  }
  return out
}

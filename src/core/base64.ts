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

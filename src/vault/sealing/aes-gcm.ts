import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

/** So many bytes that nobody has seen before. */
export type Draw = (bytes: number) => Uint8Array

export type Key = KeyObject | Uint8Array

const algorithm = 'aes-256-gcm'
/** The first byte of everything that is sealed, so that another way of sealing can be told from this one. */
const version = 1
const nonceBytes = 12
const tagBytes = 16
/** How much longer it is than what it holds. */
export const overhead: number = 1 + nonceBytes + tagBytes

/** Version, nonce, ciphertext and tag. `about` is not kept: whoever opens it has to know what it is the seal of. */
export function seal(key: Key, about: string, plain: Uint8Array, draw: Draw): Uint8Array {
  const nonce = draw(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(bound(about))
  return Buffer.concat([Buffer.of(version), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** What was sealed; nothing where it is not what was sealed with this key about this. */
export function open(key: Key, about: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed[0] !== version || sealed.length < overhead) return undefined
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(bound(about))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}

function bound(about: string): Buffer {
  return Buffer.from(`redrive vault ${version} ${about}`)
}

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { fromBase64 } from '../core/base64.ts'

/**
 * A key that keys of letters are wrapped with. `id` says which one it was, is derived from the key, and tells nothing else about it. The key itself is
 * an object that no log, no JSON and no error writes out, and that threads hand to each other.
 */
export interface VaultKey {
  readonly id: string
  readonly secret: KeyObject
}

/** New letters are sealed with `key`; what was sealed with one of `formerKeys` can still be opened. */
export interface VaultKeys {
  readonly key: VaultKey
  readonly formerKeys: readonly VaultKey[]
}

export const keyBytes = 32

/** As `openssl rand -base64 32` or `-hex 32` writes one; else what is wrong with it, without a character of it. */
export function readVaultKey(text: string): VaultKey | { readonly problem: string } {
  const written = text.trim()
  if (written === '') return { problem: 'is empty' }
  const bytes = /^[0-9a-f]{64}$/i.test(written) ? Buffer.from(written, 'hex') : fromBase64(written)
  if (bytes === undefined) return { problem: `is neither base64 nor ${2 * keyBytes} hexadecimal digits` }
  if (bytes.length !== keyBytes) return { problem: `has ${bytes.length} bytes; AES-256 needs ${keyBytes}` }
  return vaultKeyOf(bytes)
}

export function vaultKeyOf(bytes: Uint8Array): VaultKey {
  const id = createHmac('sha256', bytes).update('redrive vault key id').digest('hex').slice(0, idLength)
  return { id, secret: createSecretKey(bytes) }
}

/** 64 bits: nobody has two keys with one id, and nobody finds a key by its id. */
const idLength = 16

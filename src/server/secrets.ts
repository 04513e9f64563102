import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Random bytes; an argument so that tests can draw what they like. */
export type Draw = (bytes: number) => Uint8Array

export const drawSecurely: Draw = (bytes) => randomBytes(bytes)

/** What the vault keeps of a secret. A plain hash is enough for what is drawn from 160 bits and more: there is nothing to guess. */
export function fingerprintOf(secret: string): string {
  return hash('sha256', secret)
}

/** Of sessions and links: 256 bits. */
export function drawSecret(draw: Draw): string {
  return Buffer.from(draw(32)).toString('base64url')
}

/**
 * A page without scripts cannot read what stands behind a `#`, so that the token stands in the query. It works once and for an hour, and opening
 * the page does not use it up.
 */
export function setupPath(secret: string): string {
  return `/setup?token=${secret}`
}

const prefix = 'rdr_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 192 bits in base 62, and 32 bits of checksum. */
const secretLength = 33
const checksumLength = 6
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`)

/**
 * `rdr_`, so that scanners of repositories find one that got into a commit, 192 bits, and a checksum by which most that were cut or invented
 * are refused without a look into the vault.
 */
export function drawToken(draw: Draw): string {
  const secret = inBase62(BigInt(`0x${Buffer.from(draw(24)).toString('hex')}`), secretLength)
  return `${prefix}${secret}${checksumOf(secret)}`
}

export function isWellFormedToken(text: string): boolean {
  if (!form.test(text)) return false
  const secret = text.slice(prefix.length, -checksumLength)
  return checksumOf(secret) === text.slice(-checksumLength)
}

function checksumOf(secret: string): string {
  return inBase62(BigInt(crc32(secret)), checksumLength)
}

function inBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = (digits[Number(rest % 62n)] ?? '') + text
  return text
}

import { RedriveError } from '../../core/errors.ts'
import type { VaultKey, VaultKeys } from '../../platform/vault-key.ts'
import { type Draw, open, seal } from './aes-gcm.ts'

/** The key of a letter as it is kept: wrapped with the key of the vault that has this id. */
export interface WrappedKey {
  readonly vaultKey: string
  readonly wrapped: Uint8Array
}

/** What a sealed text or a sealed body belongs to: it opens nowhere else. `edit` is 0 for what came from the broker. */
export interface Subject {
  readonly letter: number
  readonly edit: number
}

export interface LetterKey {
  seal(part: string, subject: Subject, plain: Uint8Array): Uint8Array
  /** Rejects what is not what was sealed. */
  open(part: string, subject: Subject, sealed: Uint8Array): Uint8Array
}

/** The keys that a process was given. */
export interface KeyRing {
  /** The id of the one that is used from now on. */
  readonly current: string
  has(id: string): boolean
  /** A key that no other letter has. */
  draw(letter: number): { readonly key: LetterKey; readonly kept: WrappedKey }
  unwrap(letter: number, kept: WrappedKey): LetterKey
  /** The same key, wrapped with the current one. */
  rewrap(letter: number, kept: WrappedKey): WrappedKey
}

const letterKeyBytes = 32

export function createKeyRing({ key: current, formerKeys }: VaultKeys, draw: Draw): KeyRing {
  const keys = new Map([current, ...formerKeys].map((key) => [key.id, key]))

  function wrap(letter: number, secret: Uint8Array): WrappedKey {
    return { vaultKey: current.id, wrapped: seal(current.secret, wrapping(letter, current), secret, draw) }
  }

  function secretOf(letter: number, { vaultKey, wrapped }: WrappedKey): Uint8Array {
    const key = keys.get(vaultKey)
    if (!key) throw missing(letter, vaultKey)
    const secret = open(key.secret, wrapping(letter, key), wrapped)
    if (!secret) throw broken(letter)
    return secret
  }

  return {
    current: current.id,
    has: (id) => keys.has(id),
    draw(letter) {
      const secret = draw(letterKeyBytes)
      return { key: letterKey(secret, draw), kept: wrap(letter, secret) }
    },
    unwrap: (letter, kept) => letterKey(secretOf(letter, kept), draw),
    rewrap: (letter, kept) => wrap(letter, secretOf(letter, kept)),
  }
}

function letterKey(secret: Uint8Array, draw: Draw): LetterKey {
  return {
    seal: (part, subject, plain) => seal(secret, content(part, subject), plain, draw),
    open(part, subject, sealed) {
      const plain = open(secret, content(part, subject), sealed)
      if (!plain) throw broken(subject.letter)
      return plain
    },
  }
}

function wrapping(letter: number, { id }: VaultKey): string {
  return `key of letter ${letter} by ${id}`
}

function content(part: string, { letter, edit }: Subject): string {
  return `${part} of letter ${letter} edit ${edit}`
}

export function missing(letter: number, id: string): RedriveError {
  return new RedriveError(
    'vault-key-missing',
    `Letter ${letter} is sealed with the key ${id}, which was not given: name it under encryption in the configuration.`,
  )
}

export function broken(letter: number): RedriveError {
  return new RedriveError(
    'content-broken',
    `The content of letter ${letter} does not fit its seal: it was changed in the database, or belongs to another letter. It is not shown and not sent.`,
  )
}

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { RedriveError } from '../core/errors.ts'
import { commonPasswords } from './common-passwords.ts'
import { TryLaterError } from './problem.ts'

export interface Passwords {
  /** What is kept of a password. Throws when it is none that anybody should have. */
  hash(password: string, user: string): Promise<string>
  /** Takes as long for a user who is not there, who has none, or whose is wrong. */
  matches(password: string, kept: string | undefined): Promise<boolean>
}

/** The logarithm of scrypt's N: 128 MiB and a few tenths of a second for each guess. */
const strongCost = 17
/** Each takes the memory above, so that only a few run at once, and no more wait than a person has patience for. */
const mostAtOnce = 2
const mostWaiting = 32

export function createPasswords(cost: number = strongCost): Passwords {
  const gate = createGate(mostAtOnce, mostWaiting)
  /** Of nothing: what is compared with when there is nothing to compare with. */
  const nobodys = encode(cost, randomBytes(16), randomBytes(32))

  return {
    async hash(password, user) {
      refuseWeak(password, user)
      const salt = randomBytes(16)
      return encode(cost, salt, await gate(() => derive(password, salt, cost)))
    },
    async matches(password, kept) {
      const [, usedCost = '', salt = '', key = ''] = (kept ?? nobodys).split('$')
      const derived = await gate(() => derive(password, Buffer.from(salt, 'base64url'), Number(usedCost)))
      return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && kept !== undefined
    },
  }
}

function encode(cost: number, salt: Uint8Array, key: Uint8Array): string {
  return ['scrypt', cost, Buffer.from(salt).toString('base64url'), Buffer.from(key).toString('base64url')].join('$')
}

/** The same password may be typed in two ways that look alike; both are one. */
function derive(password: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  const N = 2 ** cost
  const options: ScryptOptions = { N, r: 8, p: 1, maxmem: 2 * 128 * N * 8 }
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key))),
  )
}

function refuseWeak(password: string, user: string): void {
  const length = [...password].length
  if (length < 8 || length > 256) throw new RedriveError('weak-password', 'A password has 8 to 256 characters.')
  const plain = password.toLowerCase()
  if (commonPasswords.has(plain) || plain === user.toLowerCase()) {
    throw new RedriveError('weak-password', 'This password is among the first that anybody would try.')
  }
}

function createGate(atOnce: number, waiting: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const line: (() => void)[] = []
  return async (work) => {
    if (running >= atOnce) {
      if (line.length >= waiting) throw new TryLaterError(2, 'Too many people sign in at this moment.')
      await new Promise<void>((resolve) => line.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else running--
    }
  }
}

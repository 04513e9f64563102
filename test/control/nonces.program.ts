import { randomBytes } from 'node:crypto'
import { seal } from '../../src/vault/sealing/aes-gcm.ts'

/** Seals so many times with one key, and writes the nonces out. */
const [key, plain] = [randomBytes(32), new Uint8Array()]
const nonces: Uint8Array[] = []
for (let left = Number(process.argv[2]); left > 0; left--) nonces.push(seal(key, 'letter', plain, randomBytes).subarray(1, 13))
process.stdout.write(Buffer.concat(nonces))

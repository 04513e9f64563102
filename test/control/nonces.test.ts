import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { type Draw, seal } from '../../src/vault/sealing/aes-gcm.ts'

/** A million seals take seconds, and ten times as long on a busy machine. */
vi.setConfig({ testTimeout: 600_000 })

const key = randomBytes(32)

describe('nonces', () => {
  const program = fileURLToPath(new URL('./nonces.program.ts', import.meta.url))
  const width = 12

  /** Those of so many seals, made in a process of its own. */
  function drawnIn(seals: number): Promise<Buffer> {
    const child = spawn(process.execPath, [program, String(seals)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => resolve(Buffer.concat(chunks)))
    })
  }

  function repeated(nonces: readonly Buffer[]): number {
    const seen = new Set<string>()
    let all = 0
    for (const bytes of nonces) {
      for (let at = 0; at < bytes.length; at += width, all++) seen.add(bytes.toString('latin1', at, at + width))
    }
    return all - seen.size
  }

  test('case 51: of a million seals in two processes are all different', async () => {
    const nonces = await Promise.all([drawnIn(500_000), drawnIn(500_000)])
    expect(nonces.map(({ length }) => length / width)).toEqual([500_000, 500_000])
    expect(repeated(nonces)).toBe(0)
  })

  test('planted bug: a nonce that is drawn twice is seen', () => {
    let drawn = 0
    /** Counts, and begins anew with every process. */
    const counting: Draw = (bytes) => Buffer.alloc(bytes, ++drawn % 100)
    const nonces = Array.from({ length: 200 }, () =>
      Buffer.from(seal(key, '', new Uint8Array(), counting).subarray(1, 1 + width)),
    )
    expect(repeated(nonces)).toBe(100)
  })
})

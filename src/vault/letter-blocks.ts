import type { Writer } from './sql.ts'

/** Ids in a row that are known together. Few enough to be looked through in half a millisecond, and enough that a million letters are a thousand blocks. */
export const blockSize = 1024

/** What one batch adds to what is known about blocks, written once. */
export interface BlockBook {
  count(letter: number, failedAt: number): void
  write(sql: Writer): Promise<void>
}

export function createBlockBook(source: number): BlockBook {
  const blocks = new Map<number, { first: number; last: number }>()
  return {
    count(letter, failedAt) {
      const block = blockOf(letter)
      const known = blocks.get(block)
      if (!known) return void blocks.set(block, { first: failedAt, last: failedAt })
      known.first = Math.min(known.first, failedAt)
      known.last = Math.max(known.last, failedAt)
    },
    async write(sql) {
      await sql.runEach(
        widen,
        [...blocks].map(([block, { first, last }]) => [block, source, first, last]),
      )
    },
  }
}

export function blockOf(letter: number): number {
  return Math.floor(letter / blockSize)
}

const widen = `
  INSERT INTO letter_blocks (block, source, first_failed_at, last_failed_at) VALUES (?, ?, ?, ?)
  ON CONFLICT (block, source) DO UPDATE SET
    first_failed_at = CASE WHEN excluded.first_failed_at < letter_blocks.first_failed_at THEN excluded.first_failed_at ELSE letter_blocks.first_failed_at END,
    last_failed_at = CASE WHEN excluded.last_failed_at > letter_blocks.last_failed_at THEN excluded.last_failed_at ELSE letter_blocks.last_failed_at END`

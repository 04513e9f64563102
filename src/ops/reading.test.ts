import { describe, expect, test } from 'vitest'
import { memory } from '../transports/memory/memory.ts'
import type { ReadingNote } from '../vault/operations/sources.ts'
import { aloneSince } from './reading.ts'
import type { ConfiguredSource } from './sources.ts'

const hour = 3_600_000
const now = Date.UTC(2030, 0, 1)
const ago = (hours: number): number => now - hours * hour

function since(mode: ConfiguredSource['mode'], note: Partial<ReadingNote> & { readonly position?: string }, oldestAt?: number) {
  const source: ConfiguredSource = { connection: 'shop', transport: memory(), address: { name: 'dlq.orders' }, mode }
  const known = { position: null, readAt: null, problem: null, ...note }
  return aloneSince(source, known, { retained: 3, pending: 3, ...(oldestAt !== undefined && { oldestAt }) }, now)
}

describe('letters that may lie on their broker alone', () => {
  test.each([
    ['what is only watched: the oldest', since('watch', {}, ago(5)), ago(5)],
    ['what was never read: the oldest', since('follow', { problem: 'refused' }, ago(5)), ago(5)],
    ['what is copied, and read: none', since('follow', { position: '', readAt: ago(2) }, ago(5)), undefined],
    ['what is collected, and read: none', since('collect', { readAt: ago(2) }, ago(5)), undefined],
    [
      'what is copied, and cannot be read: what came since',
      since('follow', { position: '', readAt: ago(2), problem: 'refused' }, ago(5)),
      ago(2),
    ],
    ['the same, where all of it came later', since('watch', { position: '', readAt: ago(2), problem: '' }, ago(1)), ago(1)],
    [
      'what is collected, and cannot be read: what is left there',
      since('collect', { readAt: ago(2), problem: 'refused' }, ago(5)),
      ago(5),
    ],
    ['the same on a broker that does not tell', since('collect', { readAt: ago(2), problem: 'refused' }), ago(2)],
    ['what nobody knows anything of', since('collect', { problem: 'refused' }), undefined],
    [
      'what was read at a time that has not come yet: the oldest',
      since('follow', { position: '', readAt: ago(-24), problem: 'refused' }, ago(5)),
      ago(5),
    ],
  ])('%s', (_, found, wanted) => {
    expect(found).toBe(wanted)
  })
})

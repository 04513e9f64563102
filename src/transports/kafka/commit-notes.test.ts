import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addRange, type Notes, notedTurns, notesLimit, notesSpan, type Range, readNotes, writeNotes } from './commit-notes.ts'

const floor = 2n ** 60n
const at = (...deltas: readonly number[]): bigint[] => deltas.map((delta) => floor + BigInt(delta))
const ranges = (offsets: readonly bigint[]): Range[] => {
  const all: Range[] = []
  for (const offset of offsets) addRange(all, Number(offset - floor), 1)
  return all
}
const written = ({ done, begun, turns }: Notes): string => writeNotes(floor, { done: ranges(done), begun: ranges(begun), turns })
const nothing: Notes = { done: [], begun: [], turns: [] }

const anySet = fc
  .uniqueArray(fc.nat(notesSpan - 1), { maxLength: 2000 })
  .map((deltas) => at(...deltas.sort((one, other) => one - other)))
const anyTurns = fc.uniqueArray(fc.nat(notesSpan - 1), { maxLength: notedTurns }).chain((deltas) =>
  fc.tuple(
    ...deltas.map((delta) =>
      fc.record({ turns: fc.integer({ min: 1, max: 999 }), due: fc.integer({ min: 0, max: 4_102_444_800_000 }) }).map((note) => ({
        offset: floor + BigInt(delta),
        ...note,
      })),
    ),
  ),
)

describe('the notes of a commit', () => {
  it.each<[string, Notes, string]>([
    ['nothing', nothing, 'redrive1'],
    ['what is done beyond the offset', { ...nothing, done: at(1, 2, 3, 7) }, 'redrive1|1+3,3||'],
    ['what was begun', { ...nothing, begun: at(0, 1, 2) }, 'redrive1||0+3|'],
    ['turns', { ...nothing, turns: [{ offset: floor, turns: 2 }] }, 'redrive1|||0:2'],
    ['a retry that waits', { ...nothing, turns: [{ offset: floor + 40n, turns: 1, due: 36 ** 3 }] }, 'redrive1|||14:1:1000'],
  ])('tell %s in few words', (_, notes, text) => {
    expect(written(notes)).toBe(text)
    expect(readNotes(floor, text)).toEqual(notes)
  })

  it('come back as they were, whatever is done, begun and counted, with offsets beyond 2^53', () => {
    fc.assert(
      fc.property(anySet, anySet, anyTurns, (done, begun, turns) => {
        expect(readNotes(floor, written({ done, begun, turns }))).toEqual({ done, begun, turns })
      }),
    )
  })

  it('always fit into what a broker takes', () => {
    fc.assert(
      fc.property(anySet, anySet, anyTurns, (done, begun, turns) => {
        expect(written({ done, begun, turns }).length).toBeLessThanOrEqual(notesLimit)
      }),
    )
    const everySecond = at(...Array.from({ length: notesSpan / 2 }, (_, index) => 2 * index + 1))
    const turns = Array.from({ length: notedTurns }, (_, index) => ({
      offset: floor + BigInt(notesSpan - 1 - index),
      turns: 999,
      due: 4_102_444_800_000,
    }))
    expect(written({ done: everySecond, begun: everySecond, turns }).length).toBeLessThanOrEqual(notesLimit)
  })

  it.each([null, '', 'of somebody else', 'redrive2|1', '{"json":1}'])('that are not ours are no notes: %j', (metadata) => {
    expect(readNotes(5n, metadata)).toEqual(nothing)
  })

  it('that were torn or forged give offsets from the committed one on, and end', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const { done, begun, turns } = readNotes(floor, `redrive1|${text}`)
        const offsets = [...done, ...begun, ...turns.map(({ offset }) => offset)]
        expect(offsets.every((offset) => offset >= floor)).toBe(true)
      }),
    )
    expect(readNotes(floor, 'redrive1|-1|1,-3,0+2|-1:1,0:2')).toEqual({
      done: [],
      begun: [floor + 1n],
      turns: [{ offset: floor, turns: 2 }],
    })
    expect(readNotes(floor, 'redrive1|0+zzzzzzzzzz||').done.length).toBeLessThanOrEqual(notesSpan)
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffLine, diffOf } from './diff.ts'

test('shows what differs with two lines around it, and nothing else', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
  const shown = diffOf(before.join('\n'), before.with(4, 'five').toSpliced(5, 0, 'new').join('\n'))
  expect(shown.map(([mark, line]) => mark + line)).toEqual([' 3', ' 4', '-5', '+five', '+new', ' 6', ' 7'])
})

test('of the same text there is nothing to show', () => {
  expect(diffOf('a\nb', 'a\nb')).toEqual([])
})

const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })

test('what is taken away and what is added are what the texts do not share, in their order', () => {
  fc.assert(
    fc.property(lines, lines, (one, other) => {
      const diff = diffOf(one.join('\n'), other.join('\n'))
      const has = (mark: DiffLine[0]) => diff.filter(([own]) => own === mark).length
      const length = (text: readonly string[]) => text.join('\n').split('\n').length
      expect(has('+') - has('-')).toBe(length(other) - length(one))
      expect(diff.length === 0).toBe(one.join('\n') === other.join('\n'))
    }),
  )
})

test('many lines are compared in a moment', () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `a ${index}`)
  expect(diffOf(long.join('\n'), long.map((line) => `${line}!`).join('\n'))).toHaveLength(40_000)
})

import { describe, expect, test } from 'vitest'
import type { Source } from '../api/sources.ts'
import { entriesFor } from './palette.model.ts'
import { totalOf } from './total.model.ts'

const source = (unresolved: number, isUp = true): Source => ({
  ...{ id: 1, connection: 'shop', channel: 'dlq', part: '', group: '', mode: 'collect', unresolved, letters: {} },
  isAtLeast: !isUp,
  onBroker: isUp ? { letters: 0, at: 1 } : { unknownSince: 1, problem: 'unreachable' },
})

describe('the number', () => {
  test('adds up what every source has', () => {
    expect(totalOf([source(2), source(3)])).toEqual({ unresolved: 5, isAtLeast: false, unreachable: 0 })
    expect(totalOf([])).toEqual({ unresolved: 0, isAtLeast: false, unreachable: 0 })
  })

  test('is "at least" as soon as one broker cannot be asked', () => {
    expect(totalOf([source(0), source(0, false)])).toEqual({ unresolved: 0, isAtLeast: true, unreachable: 1 })
  })
})

describe('commands', () => {
  const replay = { name: 'Replay these letters', key: 'r', act: () => undefined }
  const names = (typed: string): readonly string[] => entriesFor(typed, [replay]).map(({ name }) => name)

  test('are those of the page and then every place, when nothing is typed', () => {
    expect(names('')[0]).toBe('Replay these letters')
    expect(names('')).toEqual(expect.arrayContaining(['Go to Inbox', 'Go to Silences', 'Go to Rules', 'Go to Notifiers']))
    expect(names('').filter((name) => name === 'Go to Alerts')).toHaveLength(1)
  })

  test('are found by any of their words, in any order and case', () => {
    expect(names('SOUR to')).toEqual(['Go to Sources', 'Look for letters: SOUR to'])
  })

  test('take a number for a letter, and anything else for a filter that is escaped in its address', () => {
    expect(entriesFor('42', []).map((entry) => 'to' in entry && entry.to)).toEqual(['/letters/42', '/letters?filter=42'])
    expect(entriesFor(' a&b=c ', [])).toEqual([{ name: 'Look for letters: a&b=c', to: '/letters?filter=a%26b%3Dc' }])
  })
})

import { describe, expect, it } from 'vitest'
import { visible, visibleJson } from './visible.ts'

describe('what cannot be seen', () => {
  it.each([
    ['a line break', 'a\nb', 'a\\nb'],
    ['a return', 'a\rb', 'a\\rb'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['the escape of a terminal', '\u001b[31m', '\\u001b[31m'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['a mark that turns the direction', 'a\u202eb', 'a\\u202eb'],
    ['a space of no width', 'a\u200bb', 'a\\u200bb'],
    ['half of a pair', 'a\ud800', 'a\\ud800'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
  ])('%s is written as an escape', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  it('is all that changes', () => {
    expect(visible('Grüße, 世界 😀 — "quoted"\\')).toBe('Grüße, 世界 😀 — "quoted"\\')
  })

  it('is undone by whoever reads it as JSON', () => {
    const value = { text: 'a\u202e\u0085\u{e0041}\n' }
    const json = visibleJson(value)
    expect(json).toBe('{"text":"a\\u202e\\u0085\\udb40\\udc41\\n"}')
    expect(JSON.parse(json)).toEqual(value)
  })
})
